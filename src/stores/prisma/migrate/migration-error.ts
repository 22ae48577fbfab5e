const advice = {
  EDITED: (name) =>
    `Migration ${name} is not the one that was applied to this database. ` +
    'Use the build that the database belongs to; a developer puts the file back and adds a new migration instead.',
  FAILED: (name) =>
    `Migration ${name} was begun on this database and did not finish. Restore the database from a copy, or repair it ` +
    `and run \`npx prisma migrate resolve --rolled-back ${name}\` (or --applied, when nothing is missing).`,
  NEWER: (name) =>
    `This database was migrated by a newer build, which added ${name}. ` +
    'Use that build, or restore the copy of the database from before.',
  FOREIGN: () =>
    'This database has tables and no history of migrations, so they may belong to something else. ' +
    'Use an empty database; if they are ours, run `npx prisma migrate resolve --applied NAME` for each migration.',
  REFUSED: (name) => `Migration ${name} could not be applied, and nothing was changed.`,
  BUSY: () => 'Another process holds this database, maybe to migrate it. Wait until it is done and start again.',
} as const satisfies Record<string, (name: string) => string>

export type MigrationProblem = keyof typeof advice

/** Why the database cannot be brought to where this build needs it, and what to do about it. It was left as it was. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError'
  readonly code = 'MIGRATION'
  readonly problem: MigrationProblem
  readonly migration: string | undefined

  constructor(problem: MigrationProblem, migration?: string, cause?: unknown) {
    const reason = cause instanceof Error ? ` ${cause.message}` : ''
    super(`${advice[problem](migration ?? '')}${reason}`, { cause })
    this.problem = problem
    this.migration = migration
  }
}

import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import { SCOPE_ITSELF } from '../../domain/event/event.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Database } from './database.ts'
import { driverCause } from './driver-cause.ts'
import type { GroupWrites } from './group-writes.ts'
import { hasNewerSchema } from './has-newer-schema.ts'
import type { MigratedDatabase } from './migrated-database.ts'
import { sql } from './sql.ts'

interface SessionState {
  readonly key: bigint
  readonly scopeKey: bigint
  readonly revision: bigint
  readonly epoch: bigint
}

/**
 * Tells what a group met that the database refused. That the guard refuses it, or a row that lacks its session, says
 * only that something is not as the group expects; the state after the rollback says what. Epochs and revisions only
 * grow, so what is outdated now will stay so. What nothing explains may be a column of a newer schema.
 */
export async function explained(on: MigratedDatabase, writes: GroupWrites, error: unknown): Promise<unknown> {
  const { database } = on
  if (!(error instanceof StoreFailure)) return error
  const cause = driverCause(error.cause)
  if (cause?.kind === 'UniqueConstraintViolation' && cause.table === 'CommitRecord') {
    return new StoreFailure('notCommitted', 'The write is decided already.', error)
  }
  if (cause?.kind !== 'NullConstraintViolation') return error
  try {
    if (writes.structure) return new StoreFailure('conflict', 'The structure is not as the change expects.', error)
    const found = (await outdated(database, writes, error)) ?? (await missing(database, writes, error))
    return found ?? (await foreign(on, error)) ?? unknown(error)
  } catch {
    return unknown(error) // the database cannot be asked just now, and nothing has changed
  }
}

async function outdated(
  database: Database,
  { sessions }: GroupWrites,
  cause: unknown,
): Promise<StoreFailure | undefined> {
  const states = await statesOf(database, sessions.map(({ row }) => row.key))
  for (const { row: { key }, expected } of sessions) {
    const state = states.get(key)
    if (!state) return new StoreFailure('conflict', `There is no session ${key}.`, cause)
    const { epoch, revision } = state
    if (Number(epoch) !== expected.epoch) {
      return new StoreFailure('fenced', `Session ${key} is at epoch ${epoch}, not ${expected.epoch}.`, cause)
    }
    if (Number(revision) !== expected.revision) {
      return new StoreFailure('conflict', `Session ${key} is at revision ${revision}, not ${expected.revision}.`, cause)
    }
  }
  return undefined
}

async function missing(
  database: Database,
  writes: GroupWrites,
  cause: unknown,
): Promise<StoreFailure | undefined> {
  const scopes = await existingScopes(database, [...writes.scopes.keys()])
  const scope = [...writes.scopes.keys()].find((key) => !scopes.has(key))
  if (scope !== undefined) return new StoreFailure('notCommitted', `There is no scope ${scope}.`, cause)
  const created = new Map(writes.created.map(({ scopeKey, value }) => [value.key, scopeKey]))
  const events = writes.events.filter(({ value }) => value.sessionKey !== SCOPE_ITSELF)
  const states = await statesOf(database, events.map(({ value }) => value.sessionKey))
  const orphan = events.find(({ scopeKey, value: { sessionKey } }) => {
    const state = states.get(sessionKey)
    return scopeKey !== (state ? Number(state.scopeKey) : created.get(sessionKey))
  })
  if (!orphan) return undefined
  const { sessionKey } = orphan.value
  return new StoreFailure('notCommitted', `There is no session ${sessionKey} for an event to be about.`, cause)
}

async function foreign({ database, migrations }: MigratedDatabase, cause: unknown): Promise<StoreFailure | undefined> {
  if (!(await hasNewerSchema(database, migrations))) return undefined
  return new StoreFailure('fatal', 'The database was migrated by a newer build.', cause)
}

const unknown = (cause: unknown): StoreFailure =>
  new StoreFailure('conflict', 'Something that the group builds on is not there any more.', cause)

async function statesOf(
  database: Database,
  keys: readonly SessionKey[],
): Promise<ReadonlyMap<SessionKey, SessionState>> {
  const rows = await database.rows<SessionState>(sql`
    SELECT "key", "scopeKey", "revision", "epoch" FROM "Session" WHERE ${database.dialect.oneOf(sql`"key"`, keys)}`)
  return new Map(rows.map((row) => [Number(row.key) as SessionKey, row]))
}

async function existingScopes(database: Database, keys: readonly ScopeKey[]): Promise<ReadonlySet<number>> {
  const rows = await database.rows<{ readonly key: bigint }>(
    sql`SELECT "key" FROM "Scope" WHERE ${database.dialect.oneOf(sql`"key"`, keys)}`,
  )
  return new Set(rows.map(({ key }) => Number(key)))
}

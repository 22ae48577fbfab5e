import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Migration, readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'
import { scratchFile } from '../sqlite/scratch-file.ts'

/** Writes migrations, named and in SQL, to a folder of their own. */
export function scratchFolder(scripts: Readonly<Record<string, string>>): string {
  const folder = scratchFile('migrations')
  for (const [name, sql] of Object.entries(scripts)) {
    mkdirSync(path.join(folder, name), { recursive: true })
    writeFileSync(path.join(folder, name, 'migration.sql'), sql)
  }
  return folder
}

export function scratchMigrations(scripts: Readonly<Record<string, string>>): readonly Migration[] {
  return readMigrations(scratchFolder(scripts))
}

import type { MigrationList } from '@prisma/schema-engine-wasm'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Provider } from '../../src/stores/prisma/migrate/migrations-folder.ts'

export const LOCKFILE = 'migration_lock.toml'

/** The file with which Prisma keeps the migrations of different databases apart. */
export const lockfileOf = (provider: Provider): string => `provider = "${provider}"\n`

/** The migrations of a folder as the schema engine reads them. There are none if there is no folder. */
export function migrationList(folder: string, provider: Provider): MigrationList {
  const entries = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return {
    baseDir: folder,
    lockfile: { path: LOCKFILE, content: lockfileOf(provider) },
    shadowDbInitScript: '',
    migrationDirectories: names.toSorted().map((name) => ({
      path: name,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok', value: readFileSync(path.join(folder, name, 'migration.sql'), 'utf8') },
      },
    })),
  }
}

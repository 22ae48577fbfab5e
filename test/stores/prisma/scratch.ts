import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import type { Database } from '../../../src/stores/prisma/database.ts'
import { migrateDatabase } from '../../../src/stores/prisma/migrate/migrate-database.ts'
import { readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../../src/stores/prisma/migrate/migrations-folder.ts'
import { openPostgresql } from '../../../src/stores/prisma/open-postgresql.ts'
import { openSqlite } from '../../../src/stores/prisma/open-sqlite.ts'
import { storesOf } from '../../../src/stores/prisma/stores-of.ts'
import { postgresUrl, scratchDatabase } from '../../support/postgres.ts'

/** A migrated database for one test, to which any number of connections can be opened. */
export interface Scratch extends AsyncDisposable {
  readonly url: string
  /** Stores with connections of their own; they are closed at the end. */
  stores(onStatement?: (sql: string) => void): Promise<Stores>
}

export interface DatabaseKind {
  readonly name: 'SQLite' | 'PostgreSQL'
  readonly missing: boolean
  readonly scratch: () => Promise<Scratch>
}

const postgresql = await postgresUrl()

/** For `describe.each`; with `describe.skipIf(missing)` inside. */
export const databaseKinds: readonly DatabaseKind[] = [
  { name: 'SQLite', missing: false, scratch: sqliteScratch },
  { name: 'PostgreSQL', missing: postgresql === undefined, scratch: () => postgresqlScratch() },
]

export const postgresqlIsMissing = postgresql === undefined

export async function sqliteScratch(): Promise<Scratch> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-stores-'))
  const url = `file:${path.join(folder, 'stores.db')}`
  await migrateDatabase(url)
  return scratchAt({
    url,
    open: (onStatement) => openSqlite({ url, onStatement }),
    remove: () => rm(folder, { recursive: true, force: true }),
  })
}

export async function postgresqlScratch(how?: string): Promise<Scratch> {
  const server = await scratchDatabase(how)
  const { url } = server
  await migrateDatabase(url)
  const open = (onStatement: (sql: string) => void) => openPostgresql({ url, onStatement, poolSize: 4 })
  return scratchAt({ url, open, remove: () => server.drop() })
}

interface Place {
  readonly url: string
  readonly open: (onStatement: (sql: string) => void) => Promise<Database>
  readonly remove: () => Promise<void>
}

function scratchAt({ url, open, remove }: Place): Scratch {
  const opened: Stores[] = []
  const migrations = readMigrations(migrationsFolder(url.startsWith('file:') ? 'sqlite' : 'postgresql'))
  return {
    url,
    async stores(onStatement = () => undefined) {
      const stores = storesOf({ database: await open(onStatement), migrations })
      opened.push(stores)
      return stores
    },
    async [Symbol.asyncDispose]() {
      for (const stores of opened) await stores.close()
      await remove()
    },
  }
}

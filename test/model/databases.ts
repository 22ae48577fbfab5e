import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { postgresUrl, scratchDatabase } from '../support/postgres.ts'

/** Undefined when PostgreSQL cannot be reached. */
export const server = await postgresUrl()

/** Stores on a new SQLite file, which goes with `opened`. */
export async function openSqlite(opened: AsyncDisposableStack): Promise<Stores> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-model-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const stores = await prismaStores({ url: `file:${path.join(folder, 'model.db')}` })
  opened.defer(() => stores.close())
  return stores
}

/** Stores on a new PostgreSQL database, which goes with `opened`. */
export async function openPostgres(opened: AsyncDisposableStack): Promise<Stores> {
  const database = await scratchDatabase()
  opened.defer(() => database.drop())
  const stores = await prismaStores({ url: database.url })
  opened.defer(() => stores.close())
  // One process after the other: leases go by the clock of the database, which is not that of the test.
  return { ...stores, instances: null }
}

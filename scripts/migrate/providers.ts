import { PGlite } from '@electric-sql/pglite'
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type { Provider } from '../../src/stores/prisma/migrate/migrations-folder.ts'
import { NodeSqlite } from '../../src/stores/prisma/sqlite/node-sqlite.ts'
import { PgliteAdapter } from './pglite-adapter.ts'

export const providerNames: readonly Provider[] = ['sqlite', 'postgresql']

/** The databases we have migrations for, each as an empty one in memory to try them in. */
export const providers: Readonly<Record<Provider, () => SqlMigrationAwareDriverAdapterFactory>> = {
  sqlite: () => new NodeSqlite({ url: ':memory:' }),
  postgresql: () => {
    const db = new PGlite() // takes seconds to start, and the engine asks the main database for its version only
    const connect = async (): Promise<SqlDriverAdapter> => new PgliteAdapter(db)
    return { provider: 'postgres', adapterName: 'pglite', connect, connectToShadowDb: connect }
  },
}

import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import { Connection } from './connection.ts'
import { databasePath, IN_MEMORY } from './database-path.ts'
import { NodeSqliteAdapter } from './node-sqlite-adapter.ts'
import { toPrismaError } from './prisma-error.ts'

export interface NodeSqliteOptions {
  /** A path, `file:` and a path, or `:memory:`. */
  readonly url: string
  /** How long a statement or the start of a transaction waits for another process: 5 s by default. */
  readonly busyTimeoutMs?: number
}

const BUSY_TIMEOUT_MS = 5000

/** Prisma over Node's built-in SQLite: `new PrismaClient({ adapter: new NodeSqlite({ url }) })`. */
export class NodeSqlite implements SqlMigrationAwareDriverAdapterFactory {
  readonly provider = 'sqlite'
  readonly adapterName = 'node-sqlite'
  readonly #options: NodeSqliteOptions

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  connect(): Promise<SqlDriverAdapter> {
    return this.#open(databasePath(this.#options.url))
  }

  /** A database for Prisma Migrate to try things out in. */
  connectToShadowDb(): Promise<SqlDriverAdapter> {
    return this.#open(IN_MEMORY)
  }

  async #open(path: string): Promise<SqlDriverAdapter> {
    try {
      return new NodeSqliteAdapter(new Connection(path, this.#options.busyTimeoutMs ?? BUSY_TIMEOUT_MS))
    } catch (error) {
      throw toPrismaError(error)
    }
  }
}

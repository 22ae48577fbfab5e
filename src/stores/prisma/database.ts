import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Dialect } from './dialect.ts'
import type { PrismaClient } from './generated/sqlite/client.ts'
import type { Sql } from './sql.ts'
import { changeFailure, readFailure } from './store-failure.ts'

/**
 * A database, as far as the stores know it. Owns the client until `close`; after that it answers nothing, because the
 * client would open the database anew. Whatever fails is a `StoreFailure`, that of a query `notCommitted` or `fatal`.
 */
export interface Database {
  readonly dialect: Dialect
  /** A query by the typed API. */
  read<T>(query: (client: PrismaClient) => Promise<T>): Promise<T>
  /** The rows of a query. */
  rows<T>(query: Sql): Promise<readonly T[]>
  /** Changes rows by a statement of its own. Returns how many. */
  change(statement: Sql): Promise<number>
  /** Statements as one transaction. Returns the rows of each. */
  transaction(statements: readonly Sql[]): Promise<readonly (readonly unknown[])[]>
  close(): Promise<void>
}

export function databaseOf(client: PrismaClient, dialect: Dialect): Database {
  let open = true

  async function failingAs<T>(
    failure: (dialect: Dialect, error: unknown) => StoreFailure,
    work: () => Promise<T>,
  ): Promise<T> {
    if (!open) throw new StoreFailure('notCommitted', 'The stores are closed.')
    try {
      return await work()
    } catch (error) {
      throw failure(dialect, error)
    }
  }

  return {
    dialect,
    read: (query) => failingAs(readFailure, () => query(client)),
    rows: <T>(query: Sql) => failingAs(readFailure, () => client.$queryRaw<T[]>(query)),
    change: (statement) => failingAs(changeFailure, () => client.$executeRaw(statement)),
    transaction: (statements) =>
      failingAs(changeFailure, () =>
        client.$transaction(statements.map((statement) => client.$queryRaw<unknown[]>(statement))),
      ),
    async close() {
      open = false
      await client.$disconnect()
    },
  }
}

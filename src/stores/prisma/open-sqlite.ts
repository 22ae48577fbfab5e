import { type Database, databaseOf } from './database.ts'
import { PrismaClient } from './generated/sqlite/client.ts'
import { observedAdapter, type StatementListener } from './observed-adapter.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { NodeSqlite, type NodeSqliteOptions } from './sqlite/node-sqlite.ts'
import { transactionOptions } from './transaction-options.ts'

export interface OpenSqlite extends NodeSqliteOptions {
  readonly onStatement: StatementListener
}

/** Opens a SQLite file that is migrated. Fails when it cannot be opened. */
export async function openSqlite({ onStatement, ...options }: OpenSqlite): Promise<Database> {
  const adapter = observedAdapter(new NodeSqlite(options), onStatement)
  const client = new PrismaClient({ adapter, transactionOptions })
  await client.$connect()
  return databaseOf(client, sqliteDialect)
}

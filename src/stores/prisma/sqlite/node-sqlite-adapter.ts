import {
  type ConnectionInfo,
  DriverAdapterError,
  type IsolationLevel,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils'
import type { Connection } from './connection.ts'
import { NodeSqliteTransaction } from './node-sqlite-transaction.ts'

/**
 * What Prisma talks to outside transactions; owns its connection.
 * Every query, every script and every transaction is a turn of the connection, so none runs inside another's transaction.
 * Reads wait for their turn too: on the same connection they would see what a transaction may yet roll back.
 */
export class NodeSqliteAdapter implements SqlDriverAdapter {
  readonly provider = 'sqlite'
  readonly adapterName = 'node-sqlite'
  readonly #connection: Connection

  constructor(connection: Connection) {
    this.#connection = connection
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#run(() => this.#connection.query(query))
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#run(() => this.#connection.execute(query))
  }

  async executeScript(script: string): Promise<void> {
    await this.#run(() => this.#connection.script(script))
  }

  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    if (isolationLevel && isolationLevel !== 'SERIALIZABLE') {
      throw new DriverAdapterError({ kind: 'InvalidIsolationLevel', level: isolationLevel })
    }
    const connection = this.#connection
    const endTurn = await connection.turns.next()
    try {
      // IMMEDIATE takes the write lock at once, so that no later statement can be refused it.
      await connection.attempt(() => connection.command('BEGIN IMMEDIATE'))
    } catch (error) {
      endTurn()
      throw error
    }
    return new NodeSqliteTransaction(connection, endTurn)
  }

  getConnectionInfo(): ConnectionInfo {
    return { maxBindValues: 2000, supportsRelationJoins: false }
  }

  async dispose(): Promise<void> {
    await this.#connection.turns.during(() => this.#connection.close())
  }

  #run<T>(work: () => T): Promise<T> {
    const connection = this.#connection
    return connection.turns.during(() => connection.attempt(() => connection.leavingNothingOpen(work)))
  }
}

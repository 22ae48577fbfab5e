import { DriverAdapterError, type SqlQuery, type SqlResultSet, type Transaction } from '@prisma/driver-adapter-utils'
import type { Connection } from './connection.ts'
import { toPrismaError } from './prisma-error.ts'
import { Turns } from './turns.ts'

/**
 * An open transaction. Owns the connection's turn from BEGIN until COMMIT or ROLLBACK, and ends it exactly once.
 * Its statements have turns among themselves, so that COMMIT runs after all that were sent before it.
 */
export class NodeSqliteTransaction implements Transaction {
  readonly provider = 'sqlite'
  readonly adapterName = 'node-sqlite'
  readonly options = { usePhantomQuery: true } // Prisma leaves COMMIT and ROLLBACK to `commit` and `rollback`.
  readonly #connection: Connection
  readonly #endTurn: () => void
  readonly #turns = new Turns()
  #isOpen = true

  constructor(connection: Connection, endTurn: () => void) {
    this.#connection = connection
    this.#endTurn = endTurn
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#run(() => this.#connection.query(query))
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#run(() => this.#connection.execute(query))
  }

  createSavepoint(name: string): Promise<void> {
    return this.#run(() => this.#connection.command(`SAVEPOINT "${name}"`))
  }

  rollbackToSavepoint(name: string): Promise<void> {
    return this.#run(() => this.#connection.command(`ROLLBACK TO "${name}"`))
  }

  releaseSavepoint(name: string): Promise<void> {
    return this.#run(() => this.#connection.command(`RELEASE "${name}"`))
  }

  async commit(): Promise<void> {
    try {
      await this.#run(() => this.#connection.command('COMMIT'))
    } finally {
      await this.rollback() // after a COMMIT that succeeded there is nothing to roll back
    }
  }

  async rollback(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    try {
      if (this.#connection.inTransaction) this.#connection.command('ROLLBACK')
    } finally {
      this.#endTurn()
    }
  }

  #run<T>(work: () => T): Promise<T> {
    return this.#turns.during(async () => {
      await this.#connection.breathe()
      // SQLite ends a transaction by itself on some errors. Nothing may run after that, as it would stand alone.
      if (!this.#isOpen || !this.#connection.inTransaction) {
        throw new DriverAdapterError({ kind: 'TransactionAlreadyClosed', cause: 'The transaction has already ended' })
      }
      try {
        return work()
      } catch (error) {
        throw toPrismaError(error)
      }
    })
  }
}

import type { ColumnType, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils'
import { DatabaseSync, type SQLOutputValue as Value, type StatementSync } from 'node:sqlite'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { columnTypeOf, declaredColumnType } from './column-type.ts'
import { IN_MEMORY } from './database-path.ts'
import { isBusy, toPrismaError } from './prisma-error.ts'
import { Turns } from './turns.ts'
import { toPrismaValue, toSqliteValue } from './values.ts'

interface Columns {
  readonly names: string[]
  readonly declared: readonly (ColumnType | undefined)[]
}

interface Prepared {
  readonly statement: StatementSync
  readonly isWhole: boolean
  columns: Columns
}

const MAX_RUN_MS = 4 // how long statements may keep timers and sockets waiting
const MAX_BLOCK_MS = 10 // how long SQLite itself may block the thread while another process writes
const MAX_CACHED_STATEMENTS = 500
const MAX_CACHED_SQL = 20_000
const CHANGES_SCHEMA = /^\s*(create|alter|drop|pragma|attach|detach|vacuum|reindex)\b/i
const SPACE_AND_COMMENTS = /^(?:[\s;]|--[^\n]*|\/\*[\s\S]*?\*\/)*$/

/**
 * One SQLite connection, which it owns until `close`. Its methods work on the spot; `turns` keeps its users apart.
 * - Whoever uses it holds a turn, for a whole transaction if there is one: nobody reads or joins what is not committed.
 * - Outside a transaction it never leaves one open, and what found the database busy is attempted again, not blocking.
 * - Its PRAGMAs are read back, because SQLite ignores without an error what it cannot do.
 */
export class Connection {
  readonly turns = new Turns()
  readonly #db: DatabaseSync
  readonly #busyTimeoutMs: number
  readonly #statements = new Map<string, Prepared>()
  #yieldedAt = performance.now()

  constructor(path: string, busyTimeoutMs: number) {
    this.#busyTimeoutMs = busyTimeoutMs
    this.#db = new DatabaseSync(path, { timeout: busyTimeoutMs, readBigInts: true, returnArrays: true })
    try {
      this.#set('journal_mode', path === IN_MEMORY ? 'memory' : 'wal')
      this.#set('synchronous', 2) // FULL
      this.#set('journal_size_limit', 64 * 1024 * 1024)
      this.#set('trusted_schema', 0)
      this.#set('secure_delete', 1) // what is deleted is overwritten
      this.#setDefaults()
    } catch (error) {
      this.#db.close()
      throw error
    }
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction
  }

  /** Lets timers and sockets run when they have waited long enough. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#yieldedAt < MAX_RUN_MS) return
    await setImmediate()
    this.#yieldedAt = performance.now()
  }

  /** Does work that is not part of a transaction, again and again while another process holds the database. */
  async attempt<T>(work: () => T): Promise<T> {
    const deadline = performance.now() + this.#busyTimeoutMs
    for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
      await this.breathe()
      try {
        return work()
      } catch (error) {
        if (!isBusy(error) || performance.now() > deadline) throw toPrismaError(error)
      }
      await setTimeout(pause)
    }
  }

  /** Does work that must not leave a transaction open, as a BEGIN of the user's own would. */
  leavingNothingOpen<T>(work: () => T): T {
    try {
      const result = work()
      if (this.inTransaction) throw new Error('Start a transaction with $transaction, not with BEGIN')
      return result
    } finally {
      if (this.inTransaction) this.#db.exec('ROLLBACK')
    }
  }

  query({ sql, args, argTypes }: SqlQuery): SqlResultSet {
    const prepared = this.#prepare(sql)
    if (!prepared.isWhole) throw new Error('A query must be a single statement')
    const values = args.map((arg, i) => toSqliteValue(arg, argTypes[i]))
    if (prepared.columns.names.length === 0) {
      const lastInsertId = String(prepared.statement.run(...values).lastInsertRowid)
      return { columnNames: [], columnTypes: [], rows: [], lastInsertId }
    }
    const rows = prepared.statement.all(...values) as unknown as Value[][]
    // When another process has changed the schema, `select *` gives other columns than it was prepared with.
    const isOutdated = rows[0] !== undefined && rows[0].length !== prepared.columns.names.length
    if (isOutdated) prepared.columns = columnsOf(prepared.statement)
    const { names, declared } = prepared.columns
    const columnTypes = declared.map((type, i) => columnTypeOf(type, rows, i))
    const prismaRows = rows.map((row) => row.map((value, i) => toPrismaValue(value, columnTypes[i])))
    return { columnNames: names, columnTypes, rows: prismaRows }
  }

  /** Runs a statement and counts the rows it changed; without arguments, as Prisma Migrate does, many statements. */
  execute({ sql, args, argTypes }: SqlQuery): number {
    const { statement, isWhole } = this.#prepare(sql)
    if (!isWhole && args.length > 0) throw new Error('A statement with arguments must be a single statement')
    if (!isWhole) return this.script(sql)
    // SQLite repeats its last count after a statement that changes nothing, so look whether the total has moved.
    const [totalBefore] = this.#changes()
    statement.all(...args.map((arg, i) => toSqliteValue(arg, argTypes[i])))
    const [total, changes] = this.#changes()
    return total === totalBefore ? 0 : Number(changes)
  }

  /** Runs a bare command such as COMMIT. */
  command(sql: string): void {
    this.#prepare(sql).statement.run()
  }

  /** Runs many statements. It blocks while busy: after an error some may stand, so they cannot be attempted again. */
  script(sql: string): number {
    const isPart = this.inTransaction
    try {
      if (isPart) this.#db.exec(sql)
      else {
        this.#set('busy_timeout', this.#busyTimeoutMs)
        this.leavingNothingOpen(() => this.#db.exec(sql))
      }
      return 0
    } catch (error) {
      throw toPrismaError(error)
    } finally {
      this.#statements.clear()
      if (!isPart) this.#setDefaults()
    }
  }

  close(): void {
    this.#statements.clear()
    if (this.#db.isOpen) this.#db.close()
  }

  #changes(): Value[] {
    return this.#prepare('SELECT total_changes(), changes()').statement.get() as unknown as Value[]
  }

  #prepare(sql: string): Prepared {
    const cached = this.#statements.get(sql)
    if (cached) return cached
    const changesSchema = CHANGES_SCHEMA.test(sql)
    if (changesSchema || this.#statements.size >= MAX_CACHED_STATEMENTS) this.#statements.clear()
    const statement = this.#db.prepare(sql) // takes the first statement and ignores the others
    const isWhole = SPACE_AND_COMMENTS.test(sql.slice(statement.sourceSQL.length))
    const prepared = { statement, isWhole, columns: columnsOf(statement) }
    if (!changesSchema && sql.length <= MAX_CACHED_SQL) this.#statements.set(sql, prepared)
    return prepared
  }

  /** Settings that a script may change. */
  #setDefaults(): void {
    this.#set('foreign_keys', 1)
    this.#set('busy_timeout', Math.min(MAX_BLOCK_MS, this.#busyTimeoutMs))
  }

  #set(pragma: string, value: string | number): void {
    this.#db.exec(`PRAGMA ${pragma} = ${value}`)
    const actual = String((this.#db.prepare(`PRAGMA ${pragma}`).get() as unknown as Value[])[0])
    if (actual !== String(value)) throw new Error(`SQLite refused ${pragma} = ${value} and kept ${actual}`)
  }
}

function columnsOf(statement: StatementSync): Columns {
  const columns = statement.columns()
  return { names: columns.map(({ name }) => name), declared: columns.map(({ type }) => declaredColumnType(type)) }
}

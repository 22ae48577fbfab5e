import type { FailureClass } from '../../ports/stores/failure.ts'
import type { DriverCause } from './driver-cause.ts'
import type { Sql } from './sql.ts'
import type { Columns } from './table.ts'

export interface FirstRows {
  /** The rows `j` for each of which rows are looked up. They have a number `query`, which comes back with each row. */
  readonly source: Sql
  readonly table: string
  readonly columns: readonly string[]
  /** A condition on `t`, the table, and `j`. */
  readonly match: Sql
  /** An order of `t`. */
  readonly order: Sql
  readonly limit: number
}

/** Where the SQL of the databases differs. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgresql'
  /** Whether transactions run beside each other, so that rows have to be locked in order. */
  readonly concurrent: boolean
  /** Something to select from, called `j`: rows with these columns, each given as a JSON object. */
  rows(columns: Columns, objects: readonly string[]): Sql
  /** The condition that a column has one of these values. */
  oneOf(column: Sql, numbers: readonly number[]): Sql
  oneOfTexts(column: Sql, texts: readonly string[]): Sql
  /** A text that is compared and ordered by its bytes, whatever the collation of the database. */
  inByteOrder(text: Sql): Sql
  /** The same for what a query selects, which is looked up value by value. */
  oneOfRows(column: Sql, query: Sql): Sql
  /** Milliseconds since 1970, by the clock of the database, which all that share it share too. */
  readonly now: Sql
  /** A number as text with 12 digits, as paths have it. */
  pathStep(number: Sql): Sql
  /** A table to select from, for a planner that may take it for better not to go along this index. */
  byIndex(table: string, index: string): Sql
  /** Of `table` the first rows that match, for each row of `source`. */
  firstRows(query: FirstRows): Sql
  /** A condition that at most `limit` rows of `table` satisfy: of those that satisfy `where`. */
  atMost(table: string, where: Sql, limit: number): Sql
  /** What an error of the driver says about a transaction that met it. */
  failureOf(cause: DriverCause): FailureClass
}

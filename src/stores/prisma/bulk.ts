import { StoreFailure } from '../../ports/stores/failure.ts'
import { BEYOND } from './beyond.ts'
import type { Dialect } from './dialect.ts'
import { join, names, raw, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { type Columns, type ColumnType, namesOf, pick, type Table } from './table.ts'

/**
 * Statements for many rows at once. The rows travel as one JSON text, so a statement is the same text however many
 * there are; it takes at most `MAX_ROWS` of them and about `MAX_LENGTH` characters, and what is more goes into
 * further ones. In every statement the rows are called `j`.
 */

export const MAX_ROWS = 2000
const MAX_LENGTH = 4_000_000

/** Sources of rows, of which each is to be used in one statement. */
export function sources(dialect: Dialect, columns: Columns, rows: readonly object[]): readonly Sql[] {
  const encode = encoder(columns)
  const pages: string[][] = []
  let length = Infinity
  for (const row of rows) {
    const text = encode(row)
    length += text.length
    const page = pages.at(-1)
    if (page && page.length < MAX_ROWS && length <= MAX_LENGTH) page.push(text)
    else {
      pages.push([text])
      length = text.length
    }
  }
  return pages.map((page) => dialect.rows(columns, page))
}

/** Refuses on every database what one of them would refuse, or would store as something else. */
function encoder(columns: Columns): (row: object) => string {
  const keys = [...namesOf(columns)]
  return (row) => {
    for (const [name, value] of Object.entries(row)) {
      if (name in columns && !fits(value, columns[name])) throw misfit(name)
    }
    return JSON.stringify(row, keys)
  }
}

const fits = (value: unknown, type: ColumnType | undefined): boolean =>
  (typeof value !== 'number' || Number.isSafeInteger(value) || value === BEYOND) &&
  (typeof value !== 'string' || type === 'document' || isStorable(value))

const misfit = (column: string): StoreFailure =>
  new StoreFailure('notCommitted', `The column ${column} holds integers, or text without NUL and lone surrogates.`)

export interface Insert<Row extends object> {
  readonly into: string
  /** The columns of the rows that are inserted as they are. */
  readonly columns: Columns
  readonly rows: readonly Row[]
  /** Further columns of the rows, for `computed`. */
  readonly helpers?: Columns
  /** Columns that the database computes, from `j` and from what is joined to it. */
  readonly computed?: Readonly<Record<string, Sql>>
  readonly joins?: Sql
}

/** Inserts rows that must not exist: a unique violation otherwise. */
export function inserts<Row extends object>(dialect: Dialect, insert: Insert<Row>): readonly Sql[] {
  const { into, columns, rows, helpers = {}, computed = {}, joins = sql`` } = insert
  const plain = namesOf(columns)
  const target = names([...plain, ...Object.keys(computed)])
  const values = join([names(plain, 'j.'), ...Object.values(computed)])
  return sources(dialect, { ...columns, ...helpers }, rows).map(
    (source) => sql`INSERT INTO ${names([into])} (${target}) SELECT ${values} FROM ${source} ${joins}`,
  )
}

/** Replaces the mutable columns of the rows with these keys. A row that does not exist is passed over. */
export function updates(dialect: Dialect, table: Table, rows: readonly object[]): readonly Sql[] {
  const { name, columns, key, mutable } = table
  return sources(dialect, pick(columns, [...key, ...mutable]), rows).map(
    (source) => sql`UPDATE ${names([name])} AS t SET ${assignments(mutable)} FROM ${source} WHERE ${sameKey(key)}`,
  )
}

/** Deletes the rows with these values of the columns, if there are any. */
export function deletes(
  dialect: Dialect,
  columns: Columns,
  { from, rows }: { readonly from: string; readonly rows: readonly object[] },
): readonly Sql[] {
  const key = namesOf(columns)
  return sources(dialect, columns, rows).map(
    (source) => sql`DELETE FROM ${names([from])} WHERE (${names(key)}) IN (SELECT ${names(key, 'j.')} FROM ${source})`,
  )
}

export const assignments = (columns: readonly string[]): Sql =>
  raw(columns.map((column) => `"${column}" = j."${column}"`).join(', '))

/** The condition that `t` is the row of which `j` has the key. */
export const sameKey = (key: readonly string[]): Sql =>
  raw(key.map((column) => `t."${column}" = j."${column}"`).join(' AND '))

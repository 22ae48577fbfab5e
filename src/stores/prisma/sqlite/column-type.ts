import { type ColumnType, ColumnTypeEnum as Column } from '@prisma/driver-adapter-utils'
import type { SQLOutputValue } from 'node:sqlite'

const declaredNames: readonly [ColumnType, string][] = [
  [Column.Int32, 'TINYINT SMALLINT MEDIUMINT INT INTEGER INT2 INT4'],
  [Column.Int64, 'BIGINT INT8'],
  [Column.Double, 'REAL FLOAT DOUBLE'],
  [Column.Numeric, 'DECIMAL NUMERIC'],
  [Column.Boolean, 'BOOL BOOLEAN'],
  [Column.DateTime, 'DATE DATETIME TIMESTAMP'],
  [Column.Text, 'CHAR CHARACTER VARCHAR NCHAR NVARCHAR CLOB TEXT'],
  [Column.Bytes, 'BLOB'],
  [Column.Json, 'JSON JSONB'],
]
const typesByName = new Map(declaredNames.flatMap(([type, names]) => names.split(' ').map((name) => [name, type])))

/** The type of a column declared as, say, `VARCHAR(20)`; undefined for an expression such as `count(*)`. */
export function declaredColumnType(declaration: string | null): ColumnType | undefined {
  const [name = ''] = /^\w*/.exec((declaration ?? '').toUpperCase()) ?? []
  return typesByName.get(name)
}

/** The type of a column of a result. SQLite lets any value into any column, so the values have the last word. */
export function columnTypeOf(
  declared: ColumnType | undefined,
  rows: readonly SQLOutputValue[][],
  index: number,
): ColumnType {
  let type = declared
  for (const row of rows) {
    const value = row[index]
    if (value === null || value === undefined) continue
    const natural = naturalType(value)
    // An expression gives Prisma a bigint, as `count(*)` always has.
    type = type === undefined ? (natural === Column.Int32 ? Column.Int64 : natural) : commonType(type, natural)
  }
  return type ?? Column.Int32 // nothing but nulls: any type will do
}

function naturalType(value: NonNullable<SQLOutputValue>): ColumnType {
  if (typeof value === 'bigint') return isSafeInteger(value) ? Column.Int32 : Column.Int64
  if (typeof value === 'number') return Column.Double
  return typeof value === 'string' ? Column.Text : Column.Bytes
}

function commonType(type: ColumnType, natural: ColumnType): ColumnType {
  // Int32 < Int64 < Double < Numeric are the lowest types, and each holds the values of those before it.
  if (type <= Column.Numeric && natural <= Column.Numeric) return type > natural ? type : natural
  if (type === Column.Boolean && natural <= Column.Int64) return type
  if ((type === Column.DateTime || type === Column.Json) && natural !== Column.Bytes) return type
  return type === natural ? type : Column.Text // Text passes every value on as it is
}

/** True when a number holds the integer exactly. */
export function isSafeInteger(value: bigint): boolean {
  return value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER
}

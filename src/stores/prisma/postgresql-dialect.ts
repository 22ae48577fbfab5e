import type { Dialect } from './dialect.ts'
import { postgresqlFailure } from './postgresql-failure.ts'
import { names, raw, sql } from './sql.ts'
import { type ColumnType, namesOf } from './table.ts'

const types: Readonly<Record<ColumnType, string>> = {
  bigint: 'bigint',
  integer: 'integer',
  boolean: 'boolean',
  text: 'text',
  document: 'text',
}

export const postgresqlDialect: Dialect = {
  name: 'postgresql',
  concurrent: true,
  now: sql`CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`,

  // The limit takes nothing away. It tells the planner, which takes every function for 100 rows, that they are few.
  rows(columns, objects) {
    const typed = namesOf(columns).map((name) => `"${name}" ${types[columns[name] ?? 'text']}`)
    const source = sql`json_to_recordset(${`[${objects.join(',')}]`}::json) AS r(${raw(typed.join(', '))})`
    return sql`(SELECT * FROM ${source} LIMIT ${objects.length}) AS j`
  },

  // An array is looked up in an index value by value; of a sub-select the planner may make a hash, and scan the table.
  oneOf: (column, numbers) => sql`${column} = ANY(${`{${numbers.join(',')}}`}::bigint[])`,

  oneOfTexts: (column, texts) =>
    sql`${column} = ANY(ARRAY(SELECT json_array_elements_text(${JSON.stringify(texts)}::json)))`,

  inByteOrder: (text) => sql`${text} COLLATE "C"`,
  oneOfRows: (column, query) => sql`${column} = ANY(ARRAY(${query}))`,

  pathStep: (number) => sql`lpad((${number})::text, 12, '0')`,

  // It has statistics, and no such hint.
  byIndex: (table) => names([table]),

  firstRows: ({ source, table, columns, match, order, limit }) => sql`
    SELECT j."query", ${names(columns, 'c.')} FROM ${source} CROSS JOIN LATERAL (
      SELECT ${names(columns, 't.')} FROM ${names([table])} AS t WHERE ${match} ORDER BY ${order} LIMIT ${limit}
    ) AS c`,

  // As an array the row ids are looked up one by one; as a sub-select they would be hashed and the table scanned.
  atMost: (table, where, limit) =>
    sql`ctid = ANY(ARRAY(SELECT ctid FROM ${names([table])} WHERE ${where} LIMIT ${limit}))`,

  failureOf: postgresqlFailure,
}

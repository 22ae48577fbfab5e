import type { Dialect } from './dialect.ts'
import { names, raw, sql } from './sql.ts'
import { sqliteFailure } from './sqlite-failure.ts'
import { namesOf } from './table.ts'

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  concurrent: false,
  now: sql`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,

  rows(columns, objects) {
    const values = namesOf(columns).map((name) => `value ->> '${name}' AS "${name}"`)
    return sql`(SELECT ${raw(values.join(', '))} FROM json_each(${`[${objects.join(',')}]`})) AS j`
  },

  oneOf: (column, numbers) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(numbers)}))`,

  oneOfTexts: (column, texts) => sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(texts)}))`,

  inByteOrder: (text) => text,
  oneOfRows: (column, query) => sql`${column} IN (${query})`,

  pathStep: (number) => sql`printf('%012d', ${number})`,

  // Without statistics it takes any index that ends in a range for as good.
  byIndex: (table, index) => sql`${names([table])} INDEXED BY ${names([index])}`,

  // SQLite has no LATERAL; a list of row ids may depend on `j` all the same.
  firstRows: ({ source, table, columns, match, order, limit }) => sql`
    SELECT j."query", ${names(columns, 'c.')} FROM ${source} CROSS JOIN ${names([table])} AS c
    WHERE c.rowid IN (SELECT t.rowid FROM ${names([table])} AS t WHERE ${match} ORDER BY ${order} LIMIT ${limit})`,

  atMost: (table, where, limit) =>
    sql`rowid IN (SELECT rowid FROM ${names([table])} WHERE ${where} LIMIT ${limit})`,

  failureOf: sqliteFailure,
}

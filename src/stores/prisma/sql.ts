import { Prisma } from './generated/sqlite/client.ts'

export type Sql = Prisma.Sql

/** The pieces of raw SQL. They are the same for every database. */
export const { sql, raw, join, empty } = Prisma

/** `"a", "b"`, each after `prefix` if there is one. The names are our own, never a caller's. */
export const names = (columns: readonly string[], prefix = ''): Sql =>
  raw(columns.map((column) => `${prefix}"${column}"`).join(', '))

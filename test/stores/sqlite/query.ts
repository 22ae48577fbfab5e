import type { SqlQuery } from '@prisma/driver-adapter-utils'

/** A query as Prisma hands it to an adapter. */
export function query(sql: string, ...args: (string | number)[]): SqlQuery {
  const argTypes = args.map(
    (arg) => ({ scalarType: typeof arg === 'string' ? 'string' : 'unknown', arity: 'scalar' }) as const,
  )
  return { sql, args, argTypes }
}

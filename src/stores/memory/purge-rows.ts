import type { SessionKey } from '../../kernel/ids.ts'
import type { Table } from './table.ts'

/** Removes at most `limit` rows of these sessions from the table. Returns how many. */
export function purgeRows<Row extends object>(
  table: Table<Row>,
  sessions: readonly SessionKey[],
  limit: number,
): number {
  const rows = [...new Set(sessions)].flatMap((session) => table.of(session)).slice(0, limit)
  for (const row of rows) table.remove(row)
  return rows.length
}

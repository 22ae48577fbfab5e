import type { RowWrite } from '../../domain/session/writes.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import { type MemoryTables, partKey } from './memory-tables.ts'
import type { Table } from './table.ts'

/** Applies one changed row. Fails with `conflict` when an inserted row exists, or an updated one does not. */
export function applyRow(tables: MemoryTables, write: RowWrite): void {
  switch (write.table) {
    case 'entry':
      return write.op === 'insert'
        ? tables.entries.insert({ entry: write.row, prompt: write.prompt })
        : updateEntry(tables, write.row)
    case 'run':
      return put(tables.runs, write)
    case 'message':
      return put(tables.messages, write)
    case 'part':
      return put(tables.parts, write)
    case 'log':
      return put(tables.log, write)
    case 'permission':
      return put(tables.permissions, write)
    case 'execution':
      return put(tables.executions, write)
    case 'grant':
      return write.op === 'insert' ? tables.grants.insert(write.row) : tables.grants.remove(write.row)
    case 'request':
      return put(tables.requests, write)
    case 'chunk':
      return write.op === 'insert' ? tables.chunks.insert(write.row) : fold(tables, write.row)
  }
}

function put<Row extends object>(
  table: Table<Row>,
  { op, row }: { readonly op: 'insert' | 'update'; readonly row: Row },
): void {
  if (op === 'insert') table.insert(row)
  else table.update(row)
}

function updateEntry({ entries }: MemoryTables, entry: Extract<RowWrite, { table: 'entry' }>['row']): void {
  const before = entries.get(entry.sessionKey, entry.ordinal)
  if (!before)
    throw new StoreFailure('conflict', `The queue entry ${entry.ordinal} of ${entry.sessionKey} does not exist.`)
  entries.update({ ...before, entry })
}

function fold({ chunks }: MemoryTables, part: Extract<RowWrite, { op: 'fold' }>['row']): void {
  for (const chunk of chunks.of(part.sessionKey)) if (partKey(chunk) === partKey(part)) chunks.remove(chunk)
}

import type { Chunk } from '../../domain/session/writes.ts'
import { document } from './document.ts'
import type { PartChunk as ChunkModel } from './generated/sqlite/client.ts'
import type { ColumnsOf, RowOf, Table } from './table.ts'

const columns: ColumnsOf<ChunkModel> = {
  sessionKey: 'bigint',
  messageIndex: 'bigint',
  partIndex: 'integer',
  offset: 'bigint',
  text: 'document',
}

export const chunkTable: Table<keyof ChunkModel> = {
  name: 'PartChunk',
  columns,
  key: ['sessionKey', 'messageIndex', 'partIndex', 'offset'],
  mutable: [],
}

/** The columns that name the part of a chunk. */
export const chunkOwner = ['sessionKey', 'messageIndex', 'partIndex'] as const

/** A chunk may end within a surrogate pair, so its text is a document. */
export const chunkRow = (chunk: Chunk): RowOf<ChunkModel> => ({ ...chunk, text: document.encode(chunk.text) })

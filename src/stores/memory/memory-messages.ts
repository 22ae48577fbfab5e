/**
 * The messages of all sessions, their parts, and the chunks of parts that still stream. A part that streams is read
 * with its chunks joined; a complete one has no chunks. Rows are changed by the unit of work alone.
 */
import { isStreaming, type Part } from '../../domain/message/message.ts'
import type { MessageStore } from '../../ports/stores/messages.ts'
import { type MemoryTables, partKey } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryMessages({ messages, parts, chunks }: MemoryTables): MessageStore {
  const streamed = (part: Part) =>
    chunks
      .of(part.sessionKey)
      .filter((chunk) => partKey(chunk) === partKey(part))
      .toSorted((a, b) => a.offset - b.offset)
      .map(({ text }) => text)
      .join('')
  const read = (part: Part): Part =>
    part.status === 'RUNNING' && isStreaming(part.body)
      ? Object.freeze({ ...part, body: Object.freeze({ ...part.body, text: part.body.text + streamed(part) }) })
      : part
  return {
    async pages(queries) {
      return queries.map(({ sessionKey, runId, after = -1, before = Infinity, take, limit }) => {
        const found = messages
          .of(sessionKey)
          .filter(({ index }) => index > after && index < before)
          .filter((message) => runId === undefined || message.runId === runId)
          .toSorted((a, b) => a.index - b.index)
        return take === 'first' ? found.slice(0, limit) : found.slice(Math.max(0, found.length - limit))
      })
    },

    async findMany(ids) {
      return [...new Set(ids)].flatMap((id) => messages.byId(id) ?? [])
    },

    async parts(keys) {
      const found = keys.flatMap(({ sessionKey, index }) =>
        parts
          .of(sessionKey)
          .filter(({ messageIndex }) => messageIndex === index)
          .toSorted((a, b) => a.partIndex - b.partIndex),
      )
      return [...new Set(found)].map(read)
    },

    async findParts(keys) {
      const found = keys.flatMap(({ sessionKey, index, partIndex }) => {
        return parts.get(sessionKey, partKey({ messageIndex: index, partIndex })) ?? []
      })
      return [...new Set(found)].map(read)
    },

    async purge(sessions, limit) {
      const removed = purgeRows(chunks, sessions, limit)
      const further = removed + purgeRows(parts, sessions, limit - removed)
      return further + purgeRows(messages, sessions, limit - further)
    },
  }
}

/** The queue entries of all sessions and their prompts. Rows are changed by the unit of work alone. */
import type { SessionKey } from '../../kernel/ids.ts'
import type { Entry } from '../../domain/prompt/entry.ts'
import type { QueueStore } from '../../ports/stores/queue.ts'
import type { MemoryTables } from './memory-tables.ts'
import { purgeRows } from './purge-rows.ts'

export function memoryQueue({ entries }: MemoryTables): QueueStore {
  const entriesOf = (session: SessionKey) => entries.of(session).map(({ entry }) => entry)
  const outstanding = (session: SessionKey) =>
    entriesOf(session)
      .filter((entry) => !isFinished(entry))
      .toSorted((a, b) => a.rank - b.rank)
  const newestFinished = (session: SessionKey, limit: number) =>
    entriesOf(session)
      .filter(isFinished)
      .toSorted((a, b) => b.ordinal - a.ordinal)
      .slice(0, limit)
  return {
    async outstanding(session) {
      return outstanding(session)
    },

    async prompt(session, ordinal) {
      return entries.get(session, ordinal)?.prompt
    },

    async findMany(ids) {
      return [...new Set(ids)].flatMap((id) => entries.byId(id)?.entry ?? [])
    },

    async views(sessions, finished) {
      return new Map(
        sessions.map((session) => [session, [...outstanding(session), ...newestFinished(session, finished)]]),
      )
    },

    async purge(sessions, limit) {
      return purgeRows(entries, sessions, limit)
    },
  }
}

const isFinished = ({ state }: Entry): boolean => state.kind === 'finished'

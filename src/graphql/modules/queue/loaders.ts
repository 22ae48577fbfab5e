import type { SessionKey } from '../../../kernel/ids.ts'
import { MAX_FINISHED_ENTRIES_SHOWN } from '../../../domain/limits.ts'
import type { EntryRow, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export const queueLoaders = (queue: Stores['queue']) => ({
  byId: rowLoader(
    (ids) => queue.findMany(ids),
    (row: EntryRow) => row.queueId,
  ),
  /** What a session shows of its queue. */
  view: batchLoader(async (sessions: readonly SessionKey[]) => {
    const views = await queue.views(sessions, MAX_FINISHED_ENTRIES_SHOWN)
    return sessions.map((session) => views.get(session) ?? [])
  }),
})

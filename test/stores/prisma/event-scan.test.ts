import { describe, expect, test } from 'vitest'
import type { EventDraft } from '../../../src/domain/event/event.ts'
import type { EventFilter } from '../../../src/ports/stores/events.ts'
import * as rows from '../../contract/support/rows.ts'
import { openWorld } from '../../contract/support/world.ts'
import { databaseKinds } from './scratch.ts'

const EVENTS = 5100

describe.each(databaseKinds)('reading events on $name', ({ scratch, missing }) => {
  test.skipIf(missing)('C23: a read that filters looks at so many rows and says how far it came', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const { stores, commit, create, scope } = await openWorld(await database.stores((sql) => statements.push(sql)))
    const session = await create()
    const drafts: EventDraft[] = Array.from({ length: EVENTS }, (_, i) => rows.draftOf(session, i))
    const { runId, messageId } = rows.messageOf(session, 0)
    const finished = { type: 'run.finished', runId, messageId, status: 'COMPLETED', error: null } as const
    await commit({ events: [...drafts, rows.draftOf(session, 0, finished)] })
    const { key, place } = session
    const filters: readonly EventFilter[] = [
      { types: ['run.finished'] },
      ...[true, false].map((includeDescendants): EventFilter => {
        return { types: ['run.finished'], session: { key, path: place.path, includeDescendants } }
      }),
    ]
    for (const filter of filters) {
      const read = (after: number) => stores.events.read({ scopeKey: scope.key, filter, after, limit: 10 })
      statements.length = 0
      const first = await read(0)
      expect(first).toEqual({ events: [], scannedTo: 5000 })
      expect(await read(first.scannedTo)).toMatchObject({ events: [{ sequence: EVENTS + 1 }], scannedTo: EVENTS + 1 })
      expect(await read(EVENTS + 1)).toEqual({ events: [], scannedTo: EVENTS + 1 })
      expect(await read(EVENTS + 99)).toEqual({ events: [], scannedTo: EVENTS + 99 })
      expect(statements).toHaveLength(4)
    }
  })
})

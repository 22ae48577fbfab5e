import { describe, expect, test } from 'vitest'
import type { EventDraft } from '../../../src/domain/event/event.ts'
import * as rows from '../../contract/support/rows.ts'
import { openWorld } from '../../contract/support/world.ts'
import { databaseKinds } from './scratch.ts'

const EVENTS = 5100

describe.each(databaseKinds)('reading events on $name', ({ scratch, missing }) => {
  test.skipIf(missing)('C23: a read that filters looks at so many rows and says how far it came', async () => {
    await using database = await scratch()
    const statements: string[] = []
    const { stores, commit, create, scope } = await openWorld(await database.stores((sql) => statements.push(sql)))
    const [often, once] = [await create(), await create()]
    const drafts: EventDraft[] = Array.from({ length: EVENTS }, (_, i) => rows.draftOf(often, i))
    await commit({ events: [...drafts, rows.draftOf(once, 0)] })
    const read = (after: number, path = once.place.path) =>
      stores.events.read({ scopeKey: scope.key, filter: { path }, after, limit: 10 })
    statements.length = 0
    const first = await read(0)
    expect(first).toEqual({ events: [], scannedTo: 5000 })
    expect(await read(first.scannedTo)).toMatchObject({ events: [{ sequence: EVENTS + 1 }], scannedTo: EVENTS + 1 })
    expect(await read(EVENTS + 1)).toEqual({ events: [], scannedTo: EVENTS + 1 })
    expect(await read(EVENTS + 99)).toEqual({ events: [], scannedTo: EVENTS + 99 })
    expect(await read(0, often.place.path)).toMatchObject({ scannedTo: 10 })
    expect(statements).toHaveLength(5)
  })
})

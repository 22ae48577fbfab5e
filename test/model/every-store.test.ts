import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { Entry } from '../../src/domain/prompt/entry.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { reading } from '../contract/support/saboteur.ts'
import { anyCommand } from './commands.ts'
import { perform } from './perform.ts'
import { openPostgres, openSqlite, server } from './databases.ts'

const RUNS = Number(process.env['MODEL_RUNS'] ?? 4)
const timeout = 30_000 + RUNS * 30_000

const opened = new AsyncDisposableStack()
afterAll(() => opened.disposeAsync())

/** The same commands on the store and in memory, each time in a scope of their own. */
function alike(stores: Stores) {
  let scopes = 0
  return fc.asyncProperty(fc.commands([anyCommand], { maxCommands: 25, size: 'max' }), async (commands) => {
    const storageKey = `model ${++scopes}`
    const expected = await perform(commands, memoryStores({ clock: systemClock }), storageKey)
    expect(await perform(commands, stores, storageKey)).toEqual(expected)
  })
}

test('C81: the same commands have the same answers, events and rows on SQLite as in memory', { timeout }, async () => {
  await fc.assert(alike(await openSqlite(opened)), { numRuns: RUNS })
})

describe.skipIf(server === undefined)('PostgreSQL', () => {
  test('C81: the same commands have the same answers, events and rows as in memory', { timeout }, async () => {
    await fc.assert(alike(await openPostgres(opened)), { numRuns: RUNS })
  })
})

test('a store that gives finished prompts another time is found out', async () => {
  const late = reading('queue', (queue) => ({
    views: async (sessions, finished) => {
      const views = await queue.views(sessions, finished)
      return new Map([...views].map(([key, entries]) => [key, entries.map(lateOf)]))
    },
  }))
  const { failed } = await fc.check(alike(late(memoryStores({ clock: systemClock }))), { numRuns: 20, endOnFailure: true })
  expect(failed).toBe(true)
})

const lateOf = (entry: Entry): Entry =>
  entry.state.kind === 'finished' ? { ...entry, state: { ...entry.state, finishedAt: entry.state.finishedAt + 1 } } : entry

import { expect } from 'vitest'
import type { QueueId } from '../../../src/kernel/ids.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import type { Prompt } from '../../../src/domain/prompt/prompt.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { entryOf, finishedState, insertEntry, promptOf, queueIdOf, runIdOf, updateEntry } from '../support/rows.ts'
import { NOW } from '../support/world.ts'

const byOrdinal = (a: Entry, b: Entry) => a.ordinal - b.ordinal

const budget = { totalTokens: 10 ** 12, wallClockMs: null, idleMs: 7 }

export const queueSuite = contractSuite('queue', (test) => {
  test('C19: entries come back as they were put in', async ({ stores, commit, create }) => {
    const session = await create()
    const error = { code: 'FAILED', message: 'It failed.', source: 'model' }
    const runId = runIdOf(session, 0)
    const entries = [
      entryOf(session, 0, { clientRequestId: 'c1', createdBy: 'someone else', bytes: 0, budget }),
      entryOf(session, 1, { whenBusy: 'REJECT', state: { kind: 'started', runId, startedAt: NOW + 3 } }),
      entryOf(session, 2, { whenBusy: 'INTERRUPT', rank: -3, state: { kind: 'running', runId, startedAt: NOW + 4 } }),
      entryOf(session, 3, { state: { ...finished(session), status: 'FAILED', error } }),
      entryOf(session, 4, {
        state: { ...finished(session), status: 'CANCELLED', error, runId: null, startedAt: null },
      }),
    ]
    await commit({ rows: entries.map((entry) => insertEntry(entry)) })
    const found = await stores.queue.findMany(entries.map(({ queueId }) => queueId))
    expect(found.toSorted(byOrdinal)).toEqual(entries)
  })

  test('C19: outstanding entries are listed by rank, not by when they came', async ({ stores, commit, create }) => {
    const [session, other] = [await create(), await create()]
    const ranks = [0, 1, -3, 3, -5, 5]
    const rows = ranks.map((rank, ordinal) => insertEntry(entryOf(session, ordinal, { rank })))
    await commit({ rows: [...rows.toReversed(), insertEntry(entryOf(other, 0, { rank: -9 }))] })
    const outstanding = await stores.queue.outstanding(session.key)
    expect(outstanding.map(({ rank }) => rank)).toEqual([-5, -3, 0, 1, 3, 5])
    expect(outstanding.map(({ ordinal }) => ordinal)).toEqual([4, 2, 0, 1, 3, 5])
  })

  test('C19: an entry leaves the outstanding ones when it finishes, not before', async ({ stores, commit, create }) => {
    const session = await create()
    const [first, second] = [entryOf(session, 0), entryOf(session, 1)]
    await commit({ rows: [insertEntry(first), insertEntry(second)] })
    const runId = runIdOf(session, 0)
    for (const kind of ['started', 'running'] as const) {
      const entry = { ...first, state: { kind, runId, startedAt: NOW + 1 } }
      await commit({ rows: [updateEntry(entry)] })
      expect(await stores.queue.outstanding(session.key)).toEqual([entry, second])
    }
    await commit({ rows: [updateEntry({ ...first, state: finishedState(runId) })] })
    expect(await stores.queue.outstanding(session.key)).toEqual([second])
    expect(await stores.queue.findMany([first.queueId])).toEqual([{ ...first, state: finishedState(runId) }])
  })

  test('C19: an entry keeps its prompt, also when it changes', async ({ stores, commit, create }) => {
    const session = await create()
    const prompt: Prompt = {
      text: 'Look at this.',
      attachments: [
        { mediaType: 'text/plain', filename: 'a.txt', url: 'data:text/plain,a' },
        { mediaType: 'image/png', filename: null, url: 'data:image/png;base64,aGk=' },
      ],
      options: { modelHint: 'provider:model', system: 'Be brief.', maxSteps: 3, budget },
    }
    await commit({
      rows: [insertEntry(entryOf(session, 0), prompt), insertEntry(entryOf(session, 1), promptOf('other'))],
    })
    expect(await stores.queue.prompt(session.key, 0)).toEqual(prompt)
    await commit({ rows: [updateEntry(entryOf(session, 0, { state: finishedState(null) }))] })
    expect(await stores.queue.prompt(session.key, 0)).toEqual(prompt)
    expect(await stores.queue.prompt(session.key, 1)).toEqual(promptOf('other'))
    expect(await stores.queue.prompt(session.key, 2)).toBeUndefined()
  })

  test('C19: finding many leaves out those that do not exist', async ({ stores, commit, create }) => {
    const session = await create()
    await commit({ rows: [insertEntry(entryOf(session, 0))] })
    const found = await stores.queue.findMany(['nothing' as QueueId, queueIdOf(session, 0)])
    expect(found).toEqual([entryOf(session, 0)])
    expect(await stores.queue.findMany([])).toEqual([])
  })

  test('C19: a view has the outstanding entries by rank, then the newest finished ones', async (world) => {
    const { stores, commit, create } = world
    const [session, other, empty] = [await create(), await create(), await create()]
    const finishedRows = Array.from({ length: 105 }, (_, i) =>
      // Every tenth had jumped the queue: the newest is the one that came last, whatever its rank was.
      insertEntry(entryOf(session, i, { rank: i % 10 === 0 ? -1 - i : i, state: finishedState(null) })),
    )
    const waiting = [105, 106, 107].map((i) => insertEntry(entryOf(session, i, { rank: i === 106 ? -107 : i })))
    const foreign = [insertEntry(entryOf(other, 0)), insertEntry(entryOf(other, 1, { state: finishedState(null) }))]
    await commit({ rows: [...finishedRows, ...waiting, ...foreign] })
    const views = await stores.queue.views([session.key, empty.key, other.key], 100)
    const ordinals = (views.get(session.key) ?? []).map(({ ordinal }) => ordinal)
    expect(ordinals).toEqual([106, 105, 107, ...Array.from({ length: 100 }, (_, i) => 104 - i)])
    expect(views.get(other.key)).toEqual([entryOf(other, 0), entryOf(other, 1, { state: finishedState(null) })])
    expect(views.get(empty.key) ?? []).toEqual([])
  })

  test('C19: a view without finished entries has the outstanding ones alone', async ({ stores, commit, create }) => {
    const session = await create()
    await commit({
      rows: [insertEntry(entryOf(session, 0, { state: finishedState(null) })), insertEntry(entryOf(session, 1))],
    })
    const views = await stores.queue.views([session.key], 0)
    expect(views.get(session.key)).toEqual([entryOf(session, 1)])
  })
})

const finished = (session: Parameters<typeof runIdOf>[0]) => ({
  kind: 'finished' as const,
  runId: runIdOf(session, 0),
  startedAt: NOW,
  finishedAt: NOW + 9,
})

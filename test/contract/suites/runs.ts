import { expect } from 'vitest'
import type { RunId } from '../../../src/kernel/ids.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { insertRun, runIdOf, runOf, updateRun, usageOf } from '../support/rows.ts'
import { NOW } from '../support/world.ts'

const error = { code: 'FAILED', message: 'It failed.', source: 'model' }
const aborting = { kind: 'requested', message: 'Stop.', by: 'somebody', at: NOW + 2 } as const

const states: readonly Run['state'][] = [
  { kind: 'admitting' },
  { kind: 'resolving', aborting: null },
  { kind: 'generating', aborting: { ...aborting, kind: 'superseded' } },
  { kind: 'generating', aborting },
  { kind: 'finalizing', outcome: { status: 'FAILED', error }, generated: true },
  { kind: 'finished', outcome: { status: 'COMPLETED' }, at: NOW + 3 },
  { kind: 'finished', outcome: { status: 'CANCELLED', error }, at: NOW + 3 },
]

/** What a resumption changes. */
const resumed = { epoch: 8, attempts: 2, owner: 'another server', stepFrom: 7, superseded: [{ from: 3, to: 7 }], workedMs: 4_000_000_000 }

export const runsSuite = contractSuite('runs', (test) => {
  test('C20: runs come back as they were put in, whatever their state', async ({ stores, commit, create }) => {
    const session = await create()
    const runs = states.map((state, i) =>
      runOf(session, i, {
        state,
        steps: i,
        partCount: 2 * i,
        usage: usageOf(i),
        model: { provider: 'p', id: `m${i}` },
        attempts: i + 1,
        owner: `server ${i}`,
        stepFrom: 2 * i,
        budget: i % 2 === 0 ? null : { totalTokens: i, wallClockMs: null, idleMs: 5 * i },
        workedMs: 1_000 * i,
        superseded: [{ from: 0, to: 1 }, { from: i + 1, to: 2 * i + 2 }].slice(0, i % 3),
      }),
    )
    await commit({ rows: runs.map(insertRun) })
    for (const run of runs) expect(await stores.runs.find(session.key, run.ordinal)).toEqual(run)
    const found = await stores.runs.findMany([...runs.map(({ runId }) => runId), 'nothing' as RunId])
    expect(found.toSorted((a, b) => a.ordinal - b.ordinal)).toEqual(runs)
    expect(await stores.runs.find(session.key, runs.length)).toBeUndefined()
    expect(await stores.runs.findMany([])).toEqual([])
  })

  test('C20: a run changes in everything that can change', async ({ stores, commit, create }) => {
    const session = await create()
    const run = runOf(session, 0)
    await commit({ rows: [insertRun(run), insertRun(runOf(session, 1))] })
    for (const state of states) {
      const changed = { ...run, ...resumed, state, steps: 3, partCount: 7, usage: usageOf(9), model: { provider: 'p', id: 'm' } }
      await commit({ rows: [updateRun(changed)] })
      expect(await stores.runs.find(session.key, 0)).toEqual(changed)
    }
    expect(await stores.runs.find(session.key, 1)).toEqual(runOf(session, 1))
  })

  test('C20: the latest run of a session is the one with the highest ordinal', async ({ stores, commit, create }) => {
    const [session, other, empty] = [await create(), await create(), await create()]
    const ordinals = [0, 1, 2, 9, 10]
    await commit({ rows: [...ordinals.map((i) => insertRun(runOf(session, i))), insertRun(runOf(other, 0))] })
    const latest = await stores.runs.latest([empty.key, session.key, other.key])
    expect(latest.toSorted((a, b) => a.sessionKey - b.sessionKey)).toEqual([runOf(session, 10), runOf(other, 0)])
    expect(await stores.runs.latest([])).toEqual([])
  })

  test('C20: pages list runs newest first, one answer for each query in their order', async (world) => {
    const { stores, commit, create } = world
    const [session, other, empty] = [await create(), await create(), await create()]
    const rows = [0, 1, 2, 3, 4].map((i) => insertRun(runOf(session, i)))
    await commit({ rows: [...rows, insertRun(runOf(other, 0)), insertRun(runOf(other, 1))] })
    const pages = await stores.runs.pages([
      { sessionKey: other.key, limit: 1 },
      { sessionKey: session.key, limit: 2 },
      { sessionKey: session.key, before: 3, limit: 2 },
      { sessionKey: session.key, before: 1, limit: 2 },
      { sessionKey: session.key, before: 0, limit: 2 },
      { sessionKey: empty.key, limit: 2 },
    ])
    expect(pages.map((page) => page.map(({ runId }) => runId))).toEqual([
      [runIdOf(other, 1)],
      [runIdOf(session, 4), runIdOf(session, 3)],
      [runIdOf(session, 2), runIdOf(session, 1)],
      [runIdOf(session, 0)],
      [],
      [],
    ])
    expect(await stores.runs.pages([])).toEqual([])
  })
})

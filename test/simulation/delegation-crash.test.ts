import { expect, test } from 'vitest'
import { asStorageKey } from '../../src/kernel/ids.ts'
import { isLive } from '../../src/domain/run/run.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { chain, delegate, endsOf, expectTreeSettled, say, treeOf } from '../support/delegating.ts'
import { type Death, type MortalStores, mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const allowed = [{ tool: '*', effect: 'allow' }] as const

/** A parent with two children beside each other, of which one has a child of its own; each session is asked for. */
const tree = textOf(
  delegate({ to: 'researcher', script: delegate({ to: 'writer', script: say('deep') }) }, { to: 'writer', script: say('beside') }),
)

async function isThere({ stores }: World): Promise<boolean> {
  const scope = await stores.scopes.find(asStorageKey(scopeId))
  return scope !== undefined && (await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 1 })).length > 0
}

const worldOn = (stores: Stores, recovery: RecoveryPolicy): World => {
  const world = new World({ stores, recovery, subagents: agents, limits: { maxSubagentDepth: 2, maxConcurrentRuns: 2 } })
  followScripts(world.models)
  return world
}

/** Lets everything happen, and a person allow what is asked, until nothing is asked any more. */
async function drive(world: World): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await world.clock.advance(1_000)
    const scope = await world.stores.scopes.find(asStorageKey(scopeId))
    const asked = scope ? await world.stores.permissions.inbox(scope.key, undefined, 100) : []
    for (const { permissionId } of asked) {
      await world.harness.respondToPermission({ scopeId, permissionId, decision: 'ONCE' }, caller)
    }
    quiet = asked.length === 0 ? quiet + 1 : 0
  }
}

/** A process that delegates until everything is done, or dies. */
async function live(mortal: MortalStores, recovery: RecoveryPolicy): Promise<void> {
  const world = worldOn(mortal.stores, recovery)
  const script = async () => {
    await world.harness.start()
    if (!(await isThere(world))) await world.session()
    ok(await world.enqueue(tree, { clientRequestId: 'once' }))
    await drive(world)
  }
  await Promise.race([script(), mortal.died])
}

/** The sequences of the events by which the runs of a tree, and the calls that wait for them, end. */
async function expectNested(world: World): Promise<void> {
  const events = await world.events()
  for (const { key, place } of await treeOf(world)) {
    const { parentKey, origin } = place
    if (parentKey === null || !origin) continue
    const child = events.filter(({ sessionKey }) => sessionKey === key)
    const started = child.filter(({ body }) => body.type === 'run.started')
    const ended = child.filter(({ body }) => body.type === 'prompt.finished')
    expect([started.length <= 1, ended.length], 'a child runs once').toEqual([true, 1])
    const [run] = await world.stores.runs.findMany([origin.parentRunId])
    const parentEnd = events.find(({ body }) => body.type === 'run.finished' && body.runId === run?.runId)
    expect(ended[0]?.sequence, 'a child ends before its parent').toBeLessThan(parentEnd?.sequence ?? 0)
  }
}

/** How often people were asked for each call. */
async function questions(world: World): Promise<readonly number[]> {
  const counts = new Map<string, number>()
  for (const { key } of await treeOf(world)) {
    for (const { runId, toolCallId } of await world.stores.permissions.latest([key], 200)) {
      counts.set(`${runId} ${toolCallId}`, (counts.get(`${runId} ${toolCallId}`) ?? 0) + 1)
    }
  }
  return [...counts.values()]
}

const deaths = (commits: number): readonly Death[] =>
  Array.from({ length: commits }, (_, i) => i + 1).flatMap((at) => [
    { at, side: 'before' },
    { at, side: 'after' },
  ])

async function commitsOf(recovery: RecoveryPolicy): Promise<number> {
  const clock = virtualClock()
  const whole = mortalStores(memoryStores({ clock }))
  await live(whole, recovery)
  return whole.commits()
}

test('G70: whatever commit a process dies at, under RESUME a tree goes on: no child runs twice, nobody is asked twice', async () => {
  const commits = await commitsOf('RESUME')
  expect(commits).toBeGreaterThan(25)
  for (const death of deaths(commits)) {
    const stores = memoryStores({ clock: virtualClock() })
    await live(mortalStores(stores, death), 'RESUME')
    // The second process dies as well, somewhere on its way.
    await live(mortalStores(stores, { ...death, at: ((death.at * 7) % commits) + 1 }), 'RESUME')
    const next = worldOn(stores, 'RESUME')
    await next.harness.start()
    await next.clock.settle()
    if (!(await isThere(next))) await next.session()
    ok(await next.enqueue(tree, { clientRequestId: 'once' }))
    await drive(next)
    const sessions = await treeOf(next)
    expect({ death, depths: sessions.map(({ place }) => place.depth).toSorted((a, b) => a - b) }).toEqual({ death, depths: [0, 1, 1, 2] })
    for (const { sessionId } of sessions) expect({ death, ends: await endsOf(next, sessionId) }).toEqual({ death, ends: ['COMPLETED'] })
    expect(new Set(await questions(next))).toEqual(new Set([1]))
    expect(JSON.stringify(await next.calls())).toContain('deep')
    expect((await next.load()).tree).toMatchObject({ descendants: 3 })
    await expectNested(next)
    await expectTreeSettled(next)
  }
})

test('G71: whatever commit a process dies at, under FAIL a tree ends as a whole, and nothing of it runs again', async () => {
  const commits = await commitsOf('FAIL')
  for (const death of deaths(commits)) {
    const stores = memoryStores({ clock: virtualClock() })
    await live(mortalStores(stores, death), 'FAIL')
    const next = worldOn(stores, 'FAIL')
    await next.harness.start()
    await next.clock.settle()
    if (!(await isThere(next))) continue
    const ended = new Map<string, readonly string[]>()
    for (const { sessionId } of await treeOf(next)) ended.set(sessionId, await endsOf(next, sessionId))
    for (const [sessionId, ends] of ended) {
      const isOver = ends.every((end) => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(end))
      expect({ death, sessionId, ends, isOver }).toMatchObject({ death, isOver: true })
      expect(ends.length).toBeLessThan(2)
    }
    expect(next.models.calls).toEqual([])
    await expectTreeSettled(next)
    if (ended.size > 1) await expectNested(next)
    ok(await next.enqueue(textOf(say('after the crash'))))
    await drive(next)
    expect((await endsOf(next)).at(-1)).toBe('COMPLETED')
    await expectTreeSettled(next)
  }
})

/** A process in which a chain of three is aborted while the last one is at work. */
async function liveAndAbort(mortal: MortalStores): Promise<void> {
  const world = new World({ stores: mortal.stores, recovery: 'RESUME', subagents: agents, policies: allowed, limits: { maxSubagentDepth: 2 } })
  followScripts(world.models)
  const script = async () => {
    await world.harness.start()
    await world.session()
    await world.prompt(textOf(chain(2, { hang: 'first' })))
    await world.abort()
    await world.clock.advance(1_000)
  }
  await Promise.race([script(), mortal.died])
}

test('G72: whatever commit a process dies at while an abort goes down a tree, the whole tree ends, and nothing of it goes on', async () => {
  const whole = mortalStores(memoryStores({ clock: virtualClock() }))
  await liveAndAbort(whole)
  for (const death of deaths(whole.commits())) {
    const stores = memoryStores({ clock: virtualClock() })
    await liveAndAbort(mortalStores(stores, death))
    const next = new World({ stores, recovery: 'RESUME', subagents: agents, policies: allowed, limits: { maxSubagentDepth: 2 } })
    followScripts(next.models)
    await next.harness.start()
    await next.clock.advance(1_000)
    if (!(await isThere(next))) continue
    const [run] = await next.runs()
    // Where the abort was not durable yet, the tree goes on; it is aborted again.
    if (run && isLive(run)) await next.abort()
    await next.clock.advance(1_000)
    for (const { sessionId } of await treeOf(next)) {
      for (const end of await endsOf(next, sessionId)) expect({ death, isStopped: end === 'CANCELLED' || end === 'FAILED' }).toEqual({ death, isStopped: true })
    }
    await expectTreeSettled(next)
    if ((await next.runs()).length > 0) await expectNested(next)
  }
})

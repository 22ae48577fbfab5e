import { expect, test } from 'vitest'
import { asStorageKey } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectTreeSettled, say, treeOf } from '../support/delegating.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { type Death, type MortalStores, mortalStores } from '../support/mortal-stores.ts'
import { agents, inputOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { ok, scopeId, World } from '../support/world.ts'

const allowed = [{ tool: '*', effect: 'allow' }] as const
const BUDGET = 60
const STEP = 5
/** Runs that can be in a step at the same time: who waits for a child is in none. */
const BESIDE = 2

const task = inputOf({ to: 'researcher', script: say('work') })

/** Every run wants to go on for ever. The root begins by delegating twice, and the first of its children once. */
function insatiable({ models }: World): void {
  let elder: string | undefined
  models.onCall = (call: ManualCall) => {
    const { sessionId, parentSessionId } = call.request
    if (parentSessionId === 's') elder ??= sessionId
    const isFirst = !call.call.log.some(({ body }) => body.kind === 'step')
    const tasks = parentSessionId === null ? 2 : sessionId === elder ? 1 : 0
    if (isFirst) for (let i = 0; i < tasks; i++) call.calls('delegate', task, `d${i}`)
    call.start().delta('more ').end().finish('continue', { totalTokens: STEP })
  }
}

function worldOn(stores: Stores): World {
  const limits = { maxSubagentDepth: 2, maxSteps: 1_000 }
  const world = new World({ stores, recovery: 'RESUME', subagents: agents, policies: allowed, limits })
  insatiable(world)
  return world
}

async function isThere({ stores }: World): Promise<boolean> {
  const scope = await stores.scopes.find(asStorageKey(scopeId))
  return scope !== undefined && (await stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 1 })).length > 0
}

async function goOn(world: World): Promise<void> {
  await world.harness.start()
  await world.clock.settle()
  if (!(await isThere(world))) await world.session()
  ok(await world.enqueue('go', { clientRequestId: 'once', options: { budget: { totalTokens: BUDGET } } }))
  await world.clock.advance(5_000)
}

/** A process that works until the budget is used up, or dies. */
const live = (mortal: MortalStores): Promise<void> => Promise.race([goOn(worldOn(mortal.stores)), mortal.died])

test('R115: whatever commit a process dies at, a tree goes beyond its budget by one step of each running child at most', async () => {
  const whole = mortalStores(memoryStores({ clock: virtualClock() }))
  await live(whole)
  const commits = whole.commits()
  expect(commits).toBeGreaterThan(20)
  const deaths = Array.from({ length: 2 * commits }, (_, i): Death => ({ at: 1 + (i >> 1), side: i % 2 === 0 ? 'before' : 'after' }))
  for (const death of deaths) {
    const stores = memoryStores({ clock: virtualClock() })
    await live(mortalStores(stores, death))
    await live(mortalStores(stores, { ...death, at: ((death.at * 7) % commits) + 1 }))
    const next = worldOn(stores)
    await goOn(next)
    const [root, ...below] = await treeOf(next)
    const used = root?.tree.usage.totalTokens ?? 0
    expect({ death, used, isEnough: used >= BUDGET }).toMatchObject({ isEnough: true })
    expect({ death, used, isTooMuch: used > BUDGET + BESIDE * STEP }).toMatchObject({ isTooMuch: false })
    const [run] = await next.runs()
    expect({ death, state: run?.state }).toMatchObject({ state: { outcome: { error: { code: 'BUDGET_EXCEEDED' } } } })
    expect(below.length).toBeGreaterThanOrEqual(2)
    // Calls without a child are of steps that were cut off.
    const outputs = (await next.calls()).flatMap(({ child, output }) => (child ? [output] : []))
    expect({ death, outputs }).toMatchObject({ outputs: [{ status: 'partial' }, { status: 'partial' }] })
    await expectTreeSettled(next)
  }
})

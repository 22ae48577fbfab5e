import { expect, test } from 'vitest'
import { asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { StoreFailure } from '../../src/ports/stores/failure.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectTreeSettled, treeOf } from '../support/delegating.ts'
import { type Fault, faultyStores } from '../support/faulty-stores.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, type Script, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, scopeId, World } from '../support/world.ts'
import { type Random, random } from './random.ts'

/** A tree of delegations, with leaves that answer, call a tool, or wait for the test. */
function scriptOf(luck: Random, depth: number): Script {
  const branches = depth === 0 ? 0 : luck.below(3)
  if (branches === 0) return luck.pick<Script>([{ say: 'done' }, { call: ['touch'] }, { hang: 'first' }, { hang: 'first' }])
  const delegate = Array.from({ length: branches }, () => ({ to: luck.pick(['researcher', 'writer']), script: scriptOf(luck, depth - 1) }))
  return { delegate, ...(luck.chance(30) && { call: ['touch'] }) }
}

function faultOf(luck: Random, percent: number): Fault {
  if (!luck.chance(percent)) return undefined
  return luck.pick<Fault>([
    { failure: 'conflict', side: 'before' },
    { failure: 'notCommitted', side: 'before' },
    { failure: 'uncertain', side: 'before' },
    { failure: 'uncertain', side: 'after' },
    { failure: 'unclassified', side: 'after' },
  ])
}

/** Stores whose repositories cannot be read now and then. */
function unreadable(stores: Stores, fails: () => boolean): Stores {
  const wrapped = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...args: unknown[]): Promise<unknown> => {
          if (fails()) throw new StoreFailure('notCommitted', 'injected')
          return Reflect.apply(member, target, args)
        }
      },
    })
  const names = ['sessions', 'queue', 'runs', 'messages', 'log', 'permissions'] as const
  return { ...stores, ...Object.fromEntries(names.map((name) => [name, wrapped(stores[name])])) }
}

/** One tree, through several lives of a server whose stores fail. */
class Story {
  readonly clock = virtualClock()
  readonly stores = memoryStores({ clock: this.clock })
  readonly luck: Random
  readonly recovery: RecoveryPolicy
  world: World | undefined
  isCalm = false
  #kill = () => {}
  /** Calls of models that wait, of all lives. */
  #hanging: ManualCall[] = []

  constructor(seed: string) {
    this.luck = random(seed)
    this.recovery = this.luck.chance(70) ? 'RESUME' : 'FAIL'
  }

  async live(): Promise<World> {
    this.#kill()
    this.#hanging = []
    const mortal = mortalStores(this.stores)
    this.#kill = mortal.kill
    const stores = unreadable(faultyStores(mortal.stores, () => (this.isCalm ? undefined : faultOf(this.luck, 8))), () => !this.isCalm && this.luck.chance(1))
    const limits = { maxSubagentDepth: 3, maxConcurrentRuns: 1 + this.luck.below(3) }
    const policies = this.luck.chance(50) ? ([{ tool: 'delegate', effect: 'allow' }] as const) : []
    const world = new World({ clock: this.clock, stores, recovery: this.recovery, subagents: agents, limits, policies })
    world.tools.add('touch', { idempotent: true, execute: async () => 'touched' })
    followScripts(world.models)
    const follow = world.models.onCall
    world.models.onCall = (call) => {
      this.#hanging.push(call)
      follow?.(call)
    }
    this.world = world
    await this.during(world.harness.start())
    return world
  }

  /** Lets time pass while something is done, or fails. */
  async during(work: Promise<unknown>): Promise<void> {
    work.catch(() => undefined)
    await this.clock.advance(this.luck.pick([1, 50, 3_000]))
  }

  async sessions(): Promise<readonly StoredSession[]> {
    const before = this.isCalm
    this.isCalm = true
    const sessions = this.world && (await this.isThere()) ? await treeOf(this.world) : []
    this.isCalm = before
    return sessions
  }

  async isThere(): Promise<boolean> {
    const scope = await this.stores.scopes.find(asStorageKey(scopeId))
    return scope !== undefined && (await this.stores.sessions.find(scope.key, asSessionId('s'))) !== undefined
  }

  async act(): Promise<void> {
    const world = this.world ?? (await this.live())
    const { luck, clock } = this
    const what = luck.weighted({ advance: 5, answer: 8, fail: 2, abort: 2, respond: 8, prompt: 1, kill: 2, fence: 1 })
    const sessions = await this.sessions()
    if (sessions.length === 0) {
      await this.during(world.session())
    } else if (what === 'answer' || what === 'fail') {
      const call = this.#hanging.splice(luck.below(Math.max(1, this.#hanging.length)), 1)[0]
      if (what === 'answer') call?.answer('said')
      else call?.fail(new Error('broken'))
    } else if (what === 'abort') {
      const { sessionId } = luck.pick(sessions)
      await this.during(world.harness.abortRun({ scopeId, sessionId }, caller))
    } else if (what === 'respond') await this.respond()
    else if (what === 'prompt') await this.during(world.enqueue(textOf(scriptOf(luck, 3))))
    else if (what === 'kill') await this.live()
    else if (what === 'fence') await this.during(world.harness.fenceScope({ scopeId, reason: 'Weather.' }, caller))
    await clock.advance(luck.pick([0, 1, 50, 2_000]))
  }

  async respond(): Promise<void> {
    const scope = await this.stores.scopes.find(asStorageKey(scopeId))
    const asked = scope ? await this.stores.permissions.inbox(scope.key, undefined, 100) : []
    const [first] = asked
    if (!first || !this.world) return
    const { permissionId } = first
    const decision = this.luck.chance(85) ? 'ONCE' : 'REJECT'
    const message = decision === 'REJECT' && this.luck.chance(50) ? { message: 'No.' } : {}
    await this.during(this.world.harness.respondToPermission({ scopeId, permissionId, decision, ...message }, caller))
  }

  /** Fair weather; all that still goes on is aborted. */
  async end(): Promise<void> {
    this.isCalm = true
    await this.live()
    for (let round = 0; round < 40; round++) {
      if (this.world) await this.during(this.world.harness.abortRun({ scopeId, sessionId: asSessionId('s') }, caller))
      await this.clock.advance(31_000)
      if ((await this.sessions()).every(({ work }) => work.kind === 'idle')) return
    }
  }
}

async function expectNested(world: World, sessions: readonly StoredSession[]): Promise<void> {
  const events = await world.events()
  expect(sessions[0]?.tree.descendants).toBe(sessions.length - 1)
  for (const { key } of sessions) {
    for (const { queueId, delegation } of (await world.stores.queue.views([key], 100)).get(key) ?? []) {
      if (!delegation) continue
      const of = (...types: readonly string[]) =>
        events.filter(({ body }) => types.includes(body.type) && 'queueId' in body && body.queueId === queueId)
      expect([of('prompt.started').length <= 1, of('prompt.finished').length], 'a prompt runs once').toEqual([true, 1])
      const ended = events.find(({ body }) => body.type === 'run.finished' && body.runId === delegation.parentRunId)
      expect(of('prompt.finished')[0]?.sequence, 'a child ends before its parent').toBeLessThan(ended?.sequence ?? 0)
    }
  }
}

const SEEDS = Number(process.env['DELEGATION_SEEDS'] ?? 100)

test('G67: whatever fails, dies, is aborted, fenced or answered at whatever time, a tree ends as a whole, each child once', async () => {
  let children = 0
  for (let seed = 0; seed < SEEDS; seed++) {
    const story = new Story(`delegation ${seed}`)
    const world = await story.live()
    await story.during(world.session())
    await story.during(world.enqueue(textOf(scriptOf(story.luck, 3))))
    for (let step = 0; step < 30; step++) await story.act()
    await story.end()
    const sessions = await story.sessions()
    children += Math.max(0, sessions.length - 1)
    try {
      if (story.world && sessions.length > 0) {
        await expectTreeSettled(story.world)
        await expectNested(story.world, sessions)
      }
    } catch (error) {
      throw new Error(`Seed ${seed}, ${story.recovery}.`, { cause: error })
    }
  }
  expect(children).toBeGreaterThan(SEEDS)
})

import { expect, test } from 'vitest'
import { asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import type { ScopeResolver } from '../../src/ports/scope-resolver.ts'
import { chain, childrenOf, delegate, endsOf, expectTreeSettled, say, treeOf, type WorldOptions } from '../support/delegating.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, inputOf, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

const allowed = [{ tool: '*', effect: 'allow' }] as const

/** One life after another of a server, each of which dies without a word. */
class Lives {
  readonly clock = virtualClock()
  readonly stores = memoryStores({ clock: this.clock })
  #kill = () => {}

  async next(options: WorldOptions = {}, prepare: (world: World) => void = () => undefined): Promise<World> {
    this.#kill()
    const mortal = mortalStores(this.stores)
    this.#kill = mortal.kill
    const base = { recovery: 'RESUME', subagents: agents, policies: allowed, limits: { maxSubagentDepth: 4 } } as const
    const world = new World({ ...base, ...options, clock: this.clock, stores: mortal.stores })
    followScripts(world.models)
    prepare(world)
    await world.harness.start()
    await this.clock.settle()
    return world
  }
}

/** A run that has delegated to a child which waits in line, and another session that has the only slot. */
async function inLine(lives: Lives): Promise<World> {
  const world = await lives.next({ limits: { maxConcurrentRuns: 1 } })
  await world.session('other')
  await world.session()
  await world.prompt(textOf({ hang: 'first' }))
  await world.prompt(textOf({ hang: 'first' }), { sessionId: asSessionId('other') })
  world.models.last.calls('delegate', inputOf({ to: 'writer', script: say('never') })).finish('continue')
  await world.clock.settle()
  return world
}

const typesIn = async (world: World, id: string | undefined) => {
  const { key } = await world.load(id)
  return (await world.events()).flatMap(({ sessionKey, body }) => (sessionKey === key ? [body.type] : []))
}

test('G68: a prompt that nobody owns any more ends cancelled before it begins, and nothing is told of a run', async () => {
  const lives = new Lives()
  await inLine(lives)
  const next = await lives.next({ subagents: agents.filter(({ name }) => name !== 'writer') })
  const [child] = await childrenOf(next)
  expect(await endsOf(next, child?.sessionId)).toEqual(['CANCELLED'])
  expect(await typesIn(next, child?.sessionId)).toEqual(['session.created', 'prompt.queued', 'prompt.finished'])
  expect(await next.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_CANCELLED' } }])
})

test('G68: a child that is at work when its agent is gone is interrupted, and its parent goes on', async () => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  await first.prompt(textOf(chain(1, { hang: 'first' })))
  const next = await lives.next({ subagents: [] })
  const [child] = await childrenOf(next)
  expect(await endsOf(next, child?.sessionId)).toEqual(['FAILED'])
  expect(await next.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_FAILED' } }])
  expect(await endsOf(next)).toEqual(['COMPLETED'])
  await expectTreeSettled(next)
})

test('G68: a child of a run that cannot be resumed is interrupted with it', async () => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  await first.prompt(textOf(chain(2, { hang: 'first' })))
  const refusing: ScopeResolver = { resolve: async () => undefined }
  const next = await lives.next({ resolver: refusing })
  for (const { sessionId } of await treeOf(next)) expect(await endsOf(next, sessionId)).toEqual(['FAILED'])
  const [child] = await childrenOf(next)
  expect((await next.entries(child?.sessionId))[0]?.state).toMatchObject({ error: { code: 'INTERRUPTED' } })
  await expectTreeSettled(next)
})

test.for(['RESUME', 'FAIL'] as const)('G68: the call of a tree that ends under %s still tells the model that its child had', async (recovery) => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  await first.prompt(textOf(chain(2, { hang: 'first' })))
  const refusing: ScopeResolver = { resolve: async () => undefined }
  const next = await lives.next({ recovery, ...(recovery === 'RESUME' && { resolver: refusing }) })
  const [child] = await childrenOf(next)
  expect(await endsOf(next, child?.sessionId)).toEqual(['FAILED'])
  const model = { provider: 'test', id: 'manual' }
  expect(await next.calls()).toMatchObject([{ child: { model } }])
})

test('G68: a run that cannot go on after a crash ends after the child that it has not taken up again', async () => {
  const lives = new Lives()
  const first = await lives.next()
  await first.session()
  await first.prompt(textOf(chain(1, { hang: 'first' })))
  const next = await lives.next({}, ({ models }) => {
    models.onResolve = async () => Promise.reject(new Error('There is no model.'))
  })
  const [child] = await childrenOf(next)
  expect([await endsOf(next), await endsOf(next, child?.sessionId)]).toEqual([['FAILED'], ['FAILED']])
  const ends = (await next.events()).filter(({ body }) => body.type === 'run.finished')
  expect(ends.map(({ sessionId }) => sessionId)).toEqual([child?.sessionId, 's'])
  await expectTreeSettled(next)
})

test('G47: children use the context of the run that delegates, and nothing of them is resolved anew', async () => {
  const lives = new Lives()
  let resolutions = 0
  const resolver: ScopeResolver = {
    resolve: async (scopeId) => ({ storageKey: asStorageKey(scopeId), context: { resolution: ++resolutions } }),
  }
  const first = await lives.next({ resolver })
  await first.session()
  await first.prompt(textOf(chain(3, { hang: 'first' })))
  const contexts = new Set(first.models.requests.map(({ context }) => context))
  expect([first.models.requests.length, contexts.size]).toEqual([4, 1])
  const before = resolutions
  const next = await lives.next({ resolver })
  expect(resolutions).toBe(before + 1)
  expect(next.models.requests.map(({ context }) => context)).toEqual(Array.from({ length: 4 }, () => ({ resolution: before + 1 })))
  next.models.last.answer('the end')
  await lives.clock.settle()
  for (const { sessionId } of await treeOf(next)) expect(await endsOf(next, sessionId)).toEqual(['COMPLETED'])
  await expectTreeSettled(next)
})

test('G52: what a run has delegated counts over its attempts, and its children stay acquired', async () => {
  const lives = new Lives()
  const limits = { maxSubagentCallsPerRun: 2, maxSubagentDepth: 1 }
  const first = await lives.next({ limits })
  await first.session()
  await first.prompt(textOf(delegate({ to: 'writer', script: say('earlier') })))
  const taskId = (await childrenOf(first))[0]?.sessionId ?? ''
  await first.prompt(textOf({ hang: 'first' }))
  const again = inputOf({ to: 'writer', script: say('again'), taskId })
  first.models.last.calls('delegate', again, 'a').finish('continue')
  await lives.clock.settle()
  const next = await lives.next({ limits })
  next.models.last.calls('delegate', again, 'b').calls('delegate', inputOf({ to: 'writer', script: say('x') }), 'c').finish('continue')
  await lives.clock.settle()
  const calls = new Map((await next.calls()).map(({ id, status, error }) => [id, error?.message ?? status]))
  expect(calls.get('a')).toBe('COMPLETED')
  expect(calls.get('b')).toContain('taskId: this id cannot be used')
  expect(calls.get('c')).toBe('The run has delegated 2 times, and may not any more.')
})

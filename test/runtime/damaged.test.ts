import { expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { chain, delegating, endsOf, say, treeOf } from '../support/delegating.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

/** Stores in which a method of a repository answers otherwise. */
function altered<Name extends 'sessions' | 'queue'>(stores: Stores, name: Name, methods: Partial<Stores[Name]>): Stores {
  const repository = new Proxy(stores[name], {
    get: (target, key): unknown => Reflect.get(methods, key) ?? Reflect.get(target, key),
  })
  return { ...stores, [name]: repository }
}

/** A process that died while a chain of three sessions was at work, and a sound session beside it. */
async function left() {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const { stores: mortal, kill } = mortalStores(stores)
  const first = await delegating({ clock, stores: mortal, limits: { maxSubagentDepth: 2 } })
  await first.session('sound')
  await first.prompt(textOf(chain(2, { hang: 'first' })))
  await first.prompt(textOf({ hang: 'first' }), { sessionId: (await first.load('sound')).sessionId })
  kill()
  const next = async (own: Stores) => {
    const world = new World({ clock, stores: own, subagents: agents, recovery: 'RESUME', limits: { maxSubagentDepth: 2 } })
    followScripts(world.models)
    await world.harness.start()
    await clock.settle()
    return world
  }
  return { stores, next }
}

/** How the last prompt of each session of the tree has ended, the root first. */
const endings = async (world: World) =>
  Promise.all(
    (await treeOf(world)).map(async ({ sessionId }) => {
      const [entry] = await world.entries(sessionId)
      return entry?.state.kind === 'finished' ? entry.state.error?.message : entry?.state.kind
    }),
  )

const damages = ({ lines }: World) => lines.filter(({ message }) => message === 'a session is damaged').map(({ fields }) => fields['damage'])

test('R87: a session above which one is missing is reported, its run fails, and the others go on', async () => {
  const { stores, next } = await left()
  const findBySequence: Stores['sessions']['findBySequence'] = async (...query) =>
    (await stores.sessions.findBySequence(...query)).filter(({ place }) => place.depth !== 1)
  const world = await next(altered(stores, 'sessions', { findBySequence }))
  expect(damages(world)).toContain('a session above it is not there')
  const deepest = (await treeOf(world)).at(-1)
  expect((await endings(world)).at(-1)).toContain(`The session ${JSON.stringify(deepest?.sessionId)} is damaged`)
  expect((await world.load('sound')).work.kind).toBe('running')
  world.models.last.answer('Still here.')
  await world.clock.settle()
  expect((await treeOf(world)).map(({ work }) => work.kind)).not.toContain('running')
})

test('R87: a run whose prompt is gone fails, keeps nobody from starting, and the session takes the next prompt', async () => {
  const { stores, next } = await left()
  let isLost = true
  const prompt: Stores['queue']['prompt'] = async (key, ordinal) => {
    const [session] = await stores.sessions.findMany([key])
    return isLost && session?.sessionId === 's' ? undefined : stores.queue.prompt(key, ordinal)
  }
  const world = await next(altered(stores, 'queue', { prompt }))
  expect((await endings(world))[0]).toContain('The session "s" is damaged: the prompt of its run')
  expect((await world.load('sound')).work.kind).toBe('running')
  isLost = false
  await world.prompt(textOf(say('on')))
  expect(await endsOf(world)).toEqual(['FAILED', 'COMPLETED'])
})

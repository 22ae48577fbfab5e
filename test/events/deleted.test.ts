import { expect, test } from 'vitest'
import type { EventType } from '../../src/domain/event/event.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import type { EventUpdate } from '../../src/ports/subscriptions.ts'
import { growOpen } from '../support/births.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

/** Everything that a subscription brings until it ends, as `type session`; it is asked for all the time. */
class Listener {
  readonly heard: string[] = []
  hasEnded = false
  readonly #updates: AsyncIterableIterator<EventUpdate>

  constructor(updates: AsyncIterableIterator<EventUpdate>) {
    this.#updates = updates
    void this.#listen()
  }

  get deletions(): readonly string[] {
    return this.heard.filter((line) => line.startsWith('session.deleted'))
  }

  async #listen(): Promise<void> {
    for await (const update of this.#updates) {
      if (update.type === 'event') this.heard.push(`${update.event.body.type} ${update.event.sessionId}`)
    }
    this.hasEnded = true
  }
}

interface Wishes {
  readonly on?: string
  readonly below?: 'and below'
  readonly types?: readonly EventType[]
  readonly after?: number
}

/** A tree top ─ s ─ a, top ─ beside. */
async function family(): Promise<World> {
  const world = await World.started()
  await world.session('top')
  await growOpen(world.stores, await world.load('top'), { s: { a: {} }, beside: {} })
  return world
}

async function listening(world: World, { on, below, types, after }: Wishes = {}): Promise<Listener> {
  const { scopeKey } = await world.load('top')
  const session = on === undefined ? undefined : await world.load(on)
  const target = session && { key: session.key, path: session.place.path, includeDescendants: below !== undefined }
  const kinds = { deltas: true, ...(types && { types }), ...(after !== undefined && { after }) }
  return new Listener(await world.harness.subscriptions.events({ scopeKey, ...(target && { session: target }), ...kinds }))
}

async function remove(world: World): Promise<void> {
  ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller))
  await world.clock.settle()
}

test('E60: deletions are told, children first, to the scope, to those above, and to the sessions themselves', async () => {
  const world = await family()
  const all = await listening(world)
  const above = await listening(world, { on: 'top', below: 'and below' })
  const itself = await listening(world, { on: 's' })
  const subtree = await listening(world, { on: 's', below: 'and below' })
  const beside = await listening(world, { on: 'beside', below: 'and below' })
  const onlyTop = await listening(world, { on: 'top' })
  await world.clock.settle()
  await remove(world)
  const whole = ['session.deleted a', 'session.deleted s']
  expect([all.deletions, above.deletions, subtree.deletions, itself.deletions]).toEqual([whole, whole, whole, whole.slice(1)])
  expect([beside.deletions, onlyTop.deletions]).toEqual([[], []])
  expect([itself, subtree].map(({ hasEnded }) => hasEnded)).toEqual([true, true])
  expect([all, above, beside, onlyTop].map(({ hasEnded }) => hasEnded)).toEqual([false, false, false, false])
})

test('E61: the subscription to a session ends with it, also where it asked for other events, and after all before', async () => {
  const world = await family()
  const others = await listening(world, { on: 's', types: ['prompt.queued'] })
  const { sequence } = (await world.events()).at(-1)!
  const late = await listening(world, { on: 's', types: ['prompt.queued'], after: sequence })
  await world.prompt('works')
  world.models.last.start().delta('half')
  await world.clock.settle()
  await remove(world)
  expect([others.heard, others.hasEnded]).toEqual([['prompt.queued s'], true])
  expect([late.heard, late.hasEnded]).toEqual([['prompt.queued s'], true])
})

test('E62: who reads the log later finds that a session was deleted, and nothing of what it contained', async () => {
  const world = await family()
  await world.prompt('works')
  world.models.last.start().delta('half')
  await world.clock.settle()
  await remove(world)
  const replay = await listening(world, { after: 0 })
  await world.clock.settle()
  expect(replay.heard).toEqual([
    'session.created top',
    'session.created beside',
    'session.deleted a',
    'session.deleted s',
  ])
})

test('E62: a part that streamed in a deleted session streams no more, and leaves nothing behind', async () => {
  const world = await family()
  const all = await listening(world)
  await world.prompt('works')
  world.models.last.start().delta('half')
  await world.clock.advance(100)
  const { key } = await world.load('s')
  const [{ partId } = { partId: undefined }] = world.deltas.map(({ address }) => address)
  const address = world.deltas[0]!.address
  expect(partId).toBeDefined()
  expect(world.harness.subscriptions.liveText({ ...address, sessionKey: key })).toBe('half')
  await remove(world)
  expect(world.harness.subscriptions.liveText({ ...address, sessionKey: key })).toBeUndefined()
  expect(all.deletions).toHaveLength(2)
})

test('E61: watching the run of a session that is deleted ends', async () => {
  const world = await family()
  await world.prompt('works')
  world.models.last.start().delta('half')
  await world.clock.settle()
  const { key, scopeKey, place } = await world.load('s')
  const run = await world.harness.liveRuns.follow({ scopeKey, key, path: place.path })
  const ended = (async () => {
    for await (const _ of run);
    return 'ended'
  })()
  await remove(world)
  await world.clock.advance(1_000)
  expect(await ended).toBe('ended')
})

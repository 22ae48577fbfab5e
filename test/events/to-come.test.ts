import { describe, expect, test } from 'vitest'
import { asGenerationId, asSessionId, asStorageKey, asWriteId } from '../../src/kernel/ids.ts'
import { announceCreation } from '../../src/domain/scope/announce-creation.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import type { EventTransport } from '../../src/ports/event-transport.ts'
import { withLastEvents } from '../../src/server/last-events.ts'
import { asked, labels } from './reading.ts'
import { type WorldOptions, world } from './world.ts'

const storageKey = asStorageKey('to come')
const subscription = { storageKey, deltas: true }

/** A hub, and a scope that does not exist in its stores until it begins. */
async function beforeTheScope(options: Pick<WorldOptions, 'stores'> = {}) {
  let transport: EventTransport | undefined
  const w = await world({ ...options, transport: (inner) => (transport = inner) })

  /** Commits `count` sessions without telling anybody. Each call is a commit. */
  const begin = async (count: number) => {
    const { key: scopeKey } = await w.stores.scopes.ensure(storageKey, w.clock.now())
    const key = await w.stores.sessions.reserveKeys(count)
    const created = Array.from({ length: count }, (_, i) =>
      newSession({
        key: (key + i) as typeof key,
        scopeKey,
        sessionId: asSessionId(`session ${key + i}`),
        generationId: asGenerationId('generation'),
        title: null,
        metadata: null,
        createdBy: 'somebody',
        at: w.clock.now(),
      }),
    )
    const events = created.map(announceCreation)
    const commit = { scopeKey, created, sessions: [], rollUps: [], rows: [], events }
    await w.stores.unit.commit(asWriteId(`begin ${key}`), [commit])
    return scopeKey
  }

  const tell = async (scopeKey: Awaited<ReturnType<typeof begin>>) => {
    const { events } = await w.stores.events.read({ scopeKey, filter: {}, after: 0, limit: 100 })
    transport?.publish({ type: 'grown', scopeKey, head: events.length, events })
  }

  return { w, begin, tell, subscribe: () => w.hub.eventsToCome(subscription) }
}

describe('E19: a scope in which nothing is stored yet', () => {
  test('E19: is watched from its first event on, and watching stores nothing', async () => {
    const { w, begin, tell, subscribe } = await beforeTheScope()
    const before = await w.stores.scopes.page(undefined, 10)
    const updates = await subscribe()
    const first = asked(updates)
    await w.clock.advance(5_000)
    expect([first.answer(), w.hub.size]).toEqual([undefined, 1])
    expect(await w.stores.scopes.page(undefined, 10)).toEqual(before)
    await tell(await begin(2))
    expect(await first.done).toBe('session.created 1')
    await tell(await begin(1))
    expect(await labels(updates, 2)).toEqual(['session.created 2', 'session.created 3'])
    expect(w.hub.size).toBe(1)
  })

  test('E19: misses nothing that happens before it asks, nor before it is asked', async () => {
    const { begin, tell, subscribe } = await beforeTheScope()
    const scopeKey = await begin(1)
    const updates = await subscribe()
    await begin(2)
    await tell(scopeKey)
    expect(await labels(updates, 3)).toEqual(['session.created 1', 'session.created 2', 'session.created 3'])
  })

  test('E19: is joined as soon as it begins, whenever the consumer asks', async () => {
    let reads = 0
    const { w, begin, tell, subscribe } = await beforeTheScope({
      stores: ({ scopes, events }) => ({
        scopes,
        events: { ...events, read: (query) => ((reads += 1), events.read(query)) },
      }),
    })
    const updates = await subscribe()
    await tell(await begin(1))
    await w.clock.settle()
    await tell(await begin(2))
    reads = 0
    expect(await labels(updates, 3)).toEqual(['session.created 1', 'session.created 2', 'session.created 3'])
    expect(reads).toBe(0)
  })

  test('E19: is found although the signal is lost, by one statement for all who wait', async () => {
    let asks = 0
    const { w, begin, subscribe } = await beforeTheScope({
      stores: ({ scopes, events }) => ({
        events,
        scopes: { ...scopes, findNamed: (keys) => ((asks += 1), scopes.findNamed(keys)) },
      }),
    })
    const all = await Promise.all([subscribe(), subscribe(), subscribe()])
    const answers = all.map(asked)
    await w.clock.settle()
    asks = 0
    await w.clock.advance(3_000)
    expect(asks).toBe(3)
    await begin(1)
    await w.clock.advance(1_000)
    expect(answers.map(({ answer }) => answer())).toEqual(Array(3).fill('session.created 1'))
    await w.clock.advance(10_000)
    expect(asks).toBe(4)
  })

  test('E19: is found although the store was away', async () => {
    let isAway = true
    const { w, begin, subscribe } = await beforeTheScope({
      stores: ({ scopes, events }) => ({
        events,
        scopes: {
          ...scopes,
          findNamed: async (keys) => {
            if (isAway) throw new Error('the store is away')
            return scopes.findNamed(keys)
          },
        },
      }),
    })
    const first = asked(await subscribe())
    await begin(1)
    await w.clock.advance(2_000)
    expect(first.answer()).toBeUndefined()
    isAway = false
    await w.clock.advance(6_000)
    expect(first.answer()).toBe('session.created 1')
  })

  test('E8, E16: gives a cursor while it is quiet', async () => {
    const { w, begin, tell, subscribe } = await beforeTheScope()
    const updates = await subscribe()
    const first = asked(updates)
    await w.clock.advance(29_999)
    expect(first.answer()).toBeUndefined()
    await w.clock.advance(1)
    expect(first.answer()).toBe('advanced 0')
    const second = asked(updates)
    await w.clock.advance(30_000)
    expect(second.answer()).toBe('advanced 0')
    await tell(await begin(1))
    expect(await labels(updates, 1)).toEqual(['session.created 1'])
  })

  test('E9, E16: is left at once, before and after it begins, and nothing is left behind', async () => {
    const { w, begin, tell, subscribe } = await beforeTheScope()
    const [left, kept] = [await subscribe(), await subscribe()]
    const waiting = asked(left)
    await left.return?.()
    expect([await waiting.done, w.hub.size]).toEqual(['over', 1])
    await tell(await begin(1))
    expect(await labels(kept, 1)).toEqual(['session.created 1'])
    const again = [asked(kept), asked(kept)]
    await kept.return?.()
    expect(await Promise.all(again.map(({ done }) => done))).toEqual(['over', 'over'])
    expect([w.hub.size, w.clock.pending]).toEqual([0, 0])
  })

  test('E9, E16: is over when everything closes, before and after it begins', async () => {
    const { w, begin, tell, subscribe } = await beforeTheScope()
    const begun = await subscribe()
    await tell(await begin(1))
    expect(await labels(begun, 1)).toEqual(['session.created 1'])
    const never = await w.hub.eventsToCome({ ...subscription, storageKey: asStorageKey('never') })
    const waiting = [asked(begun), asked(never)]
    w.hub.close()
    expect(await Promise.all(waiting.map(({ done }) => done))).toEqual(['over', 'over'])
    expect(await asked(await subscribe()).done).toBe('over')
    await w.clock.settle()
    expect([w.hub.size, w.clock.pending]).toEqual([0, 0])
  })

  test('V9: gives what was committed when everything closes, though nobody told of it', async () => {
    const { w, begin } = await beforeTheScope()
    const subscriptions = withLastEvents(w.hub, w.stores)
    const updates = await subscriptions.eventsToCome(subscription)
    const never = await subscriptions.eventsToCome({ ...subscription, storageKey: asStorageKey('never') })
    await w.clock.settle()
    await begin(2)
    subscriptions.close()
    expect(await labels(updates, 2)).toEqual(['session.created 1', 'session.created 2'])
    expect([await asked(updates).done, await asked(never).done]).toEqual(['over', 'over'])
  })
})

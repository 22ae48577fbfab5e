import { describe, expect, test } from 'vitest'
import type { ScopeKey } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { CursorExpired } from '../../src/ports/subscriptions.ts'
import { asked, labels, range, sequences } from './reading.ts'
import { note, notes, only, type World, world } from './world.ts'

/** Stores whose event log fails, or waits, as long as a test says so, and counts what it is asked. */
function moodyStores() {
  const mood = { fails: false, reads: 0, bounds: 0, polls: 0, gate: undefined as Promise<void> | undefined }
  const stores = ({ scopes, events }: Stores): Pick<Stores, 'scopes' | 'events'> => {
    const ask = async (what: 'reads' | 'bounds' | 'polls') => {
      mood[what] += 1
      await mood.gate
      if (mood.fails) throw new Error('the store is away')
    }
    return {
      scopes: { ...scopes, findMany: async (keys) => ask('polls').then(() => scopes.findMany(keys)) },
      events: {
        ...events,
        read: async (query) => ask('reads').then(() => events.read(query)),
        bounds: async (scopeKey) => ask('bounds').then(() => events.bounds(scopeKey)),
      },
    }
  }
  return { mood, stores }
}

async function listening(options: Parameters<typeof world>[0] = {}) {
  const w = await world(options)
  const session = await w.session('s')
  const updates = await w.subscribe()
  return { w, session, updates }
}

describe('E1: each event once, in order', () => {
  test('E1: when signals carry events, nothing is read', async () => {
    const { mood, stores } = moodyStores()
    const { w, session, updates } = await listening({ stores })
    mood.reads = 0
    mood.bounds = 0
    for (let n = 0; n < 20; n++) await w.commit(session, ...notes(1, 3))
    expect(await sequences(updates, 60)).toEqual(range(1, 60))
    expect([mood.reads, mood.bounds]).toEqual([0, 0])
  })

  test('E1: when they carry nothing', async () => {
    const { w, session, updates } = await listening()
    for (let head = 3; head <= 60; head += 3) {
      await w.record(session, ...notes(1, 3))
      w.tell(head)
    }
    expect(await sequences(updates, 60)).toEqual(range(1, 60))
  })

  test('E1: when they are repeated, late, out of order, or overlap', async () => {
    const { w, session, updates } = await listening()
    const a = await w.record(session, ...notes(1, 2))
    const b = await w.record(session, note(3))
    const c = await w.record(session, note(4))
    w.tell(2, a)
    w.tell(4, c)
    w.tell(3, b)
    w.tell(4, [...b, ...c])
    w.tell(4, [...a, ...b, ...c])
    w.tell(2, a)
    await w.clock.settle()
    w.tell(3)
    w.tell(4, c)
    await w.commit(session, note(5))
    expect(await sequences(updates, 5)).toEqual([1, 2, 3, 4, 5])
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
  })

  test('E1: when more comes while the log is being read', async () => {
    const { mood, stores } = moodyStores()
    const { w, session, updates } = await listening({ stores })
    await w.record(session, ...notes(1, 10))
    const gate = Promise.withResolvers<void>()
    mood.gate = gate.promise
    w.tell(10)
    await w.clock.settle()
    const late = await w.record(session, note(11))
    w.tell(11, late)
    w.tell(12, await w.record(session, note(12)))
    mood.gate = undefined
    gate.resolve()
    expect(await sequences(updates, 12)).toEqual(range(1, 12))
  })

  test('E1: when a signal is the first of many pages', async () => {
    const { w, session, updates } = await listening()
    await w.record(session, ...notes(1, 2000))
    w.tell(1)
    expect(await sequences(updates, 2000)).toEqual(range(1, 2000))
  })

  test('E1: an erased event is passed over', async () => {
    const { w, session, updates } = await listening()
    const erased = await w.session('erased')
    await w.record(session, note(1))
    await w.record(erased, note(2))
    await w.record(session, note(3))
    await w.stores.events.purge([erased.key], 100)
    w.tell(3)
    expect(await sequences(updates, 2)).toEqual([1, 3])
  })
})

describe('a lost signal', () => {
  test('E1: costs the time of one poll and nothing else', async () => {
    const { w, session, updates } = await listening()
    await w.record(session, note(1))
    const next = asked(updates)
    await w.clock.advance(999)
    expect(next.answer()).toBeUndefined()
    await w.clock.advance(1)
    expect(next.answer()).toBe('message.updated 1')
  })

  test('one statement a second, however many scopes have subscribers, none when nobody has', async () => {
    const { mood, stores } = moodyStores()
    const { w, updates } = await listening({ stores })
    const others = await Promise.all(range(2, 700).map((n) => w.subscribe({ scopeKey: n as ScopeKey })))
    await w.clock.advance(10_000)
    expect(mood.polls).toBe(20)
    expect(mood.reads).toBe(0)
    for (const other of others) await other.return?.()
    await updates.return?.()
    await w.clock.advance(10_000)
    expect([mood.polls, w.clock.pending]).toEqual([20, 0])
  })
})

describe('a reading that fails', () => {
  test('E1: is repeated until it succeeds, and logged', async () => {
    const { mood, stores } = moodyStores()
    const { w, session, updates } = await listening({ stores })
    mood.fails = true
    await w.record(session, note(1))
    w.tell(1)
    const next = asked(updates)
    await w.clock.advance(20_000)
    expect(next.answer()).toBeUndefined()
    mood.fails = false
    await w.clock.advance(5_000)
    expect(next.answer()).toBe('message.updated 1')
    const messages = w.log.lines.map(({ message }) => message)
    expect(messages).toContain('Reading the log of a scope failed and is tried again.')
    expect(messages).toContain('Asking how far the logs of scopes reach failed and is tried again.')
  })

  test('E1: so is that of a subscriber who is behind', async () => {
    const { mood, stores } = moodyStores()
    const w = await world({ stores })
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 600))
    const updates = await w.subscribe({ after: 0 })
    mood.fails = true
    const next = asked(updates)
    await w.clock.advance(10_000)
    expect(next.answer()).toBeUndefined()
    mood.fails = false
    await w.clock.advance(5_000)
    expect(next.answer()).toBe('message.updated 1')
    expect(await sequences(updates, 599)).toEqual(range(2, 600))
    expect(w.log.lines[0]?.message).toBe('Reading events for a subscriber failed and is tried again.')
  })

  test('E9: a subscriber who leaves meanwhile leaves nothing behind', async () => {
    const { mood, stores } = moodyStores()
    const { w, session, updates } = await listening({ stores })
    const replaying = await w.subscribe({ after: 0 })
    mood.fails = true
    await w.record(session, note(1))
    w.tell(1)
    const next = [asked(replaying), asked(updates)]
    await w.clock.advance(100)
    await replaying.return?.()
    await updates.return?.()
    expect(await Promise.all(next.map(({ done }) => done))).toEqual(['over', 'over'])
    await w.clock.settle()
    expect([w.hub.size, w.clock.pending]).toEqual([0, 0])
  })

  test('a log that does not show what it has numbered is an error of the store', async () => {
    const w = await world({
      stores: ({ scopes, events }) => ({
        scopes,
        events: { ...events, read: async ({ after }) => ({ events: [], scannedTo: after }) },
      }),
    })
    const session = await w.session('s')
    const updates = await w.subscribe()
    await w.record(session, note(1))
    w.tell(1)
    await w.clock.advance(100)
    expect(w.log.lines[0]?.fields['err']).toMatchObject({ source: 'store' })
    w.hub.close()
    expect((await updates.next()).done).toBe(true)
    expect(w.clock.pending).toBe(0)
  })
})

test('E3: when events are removed before they are handed out, subscribers are told, others begin anew', async () => {
  const { w, session, updates } = await listening()
  const calm = await w.subscribe(only(session))
  await w.commit(session, note(1))
  await w.record(session, ...notes(2, 400))
  await w.stores.events.prune(w.scopeKey, { before: 0, keep: 10, limit: 1000 })
  const waiting = updates.next()
  w.tell(400)
  await expect(updates.next()).rejects.toBeInstanceOf(CursorExpired)
  expect((await waiting).done).toBe(false)
  await expect(calm.next()).rejects.toBeInstanceOf(CursorExpired)
  expect([w.hub.size, (await calm.next()).done, (await updates.next()).done]).toEqual([0, true, true])
  const anew = await w.subscribe({ after: 395 })
  await w.commit(session, note(401))
  expect(await sequences(anew, 6)).toEqual(range(396, 401))
})

test('E6: subscribers who do not read, or whose reading hangs, hold up neither the publisher nor others', async () => {
  const { mood, stores } = moodyStores()
  const w: World = await world({ stores })
  const session = await w.session('s')
  for (let n = 0; n < 50; n++) await w.subscribe()
  const stuck = await w.subscribe({ after: 0 })
  await w.commit(session, ...notes(1, 500))
  const updates = await w.subscribe()
  mood.gate = new Promise(() => {})
  const next = asked(stuck)
  for (let n = 501; n <= 1000; n++) {
    const answer = asked(updates)
    await w.commit(session, note(n))
    expect(await answer.done).toBe(`message.updated ${n}`)
  }
  expect(next.answer()).toBeUndefined()
})

test('other scopes are not disturbed', async () => {
  const { w, session, updates } = await listening()
  const elsewhere = await w.subscribe({ scopeKey: 99 as ScopeKey })
  const next = asked(elsewhere)
  await w.commit(session, note(1))
  w.activity(session, 'THINKING')
  expect(await labels(updates, 2)).toEqual(['message.updated 1', 'is THINKING'])
  expect(next.answer()).toBeUndefined()
})

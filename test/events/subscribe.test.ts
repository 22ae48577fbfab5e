import { describe, expect, test } from 'vitest'
import { CursorExpired } from '../../src/ports/subscriptions.ts'
import { asked, labels, range, sequences } from './reading.ts'
import { finished, note, notes, only, runA, world } from './world.ts'

describe('beginning', () => {
  test('E2: what is committed once the promise has resolved is never missed, however late the first next', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, note(1))
    const updates = await w.subscribe()
    await w.commit(session, note(2))
    await w.record(session, note(3))
    await w.commit(session, note(4))
    expect(await labels(updates, 3)).toEqual(['message.updated 2', 'message.updated 3', 'message.updated 4'])
  })

  test('E2: neither is what is committed while the promise is pending', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, note(1))
    const pending = w.subscribe()
    await w.commit(session, note(2))
    const updates = await pending
    await w.commit(session, note(3))
    expect(await labels(updates, 2)).toEqual(['message.updated 2', 'message.updated 3'])
  })

  test('E3: after a cursor come the events that followed, then the live ones, without gap or duplicate', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 700))
    const updates = await w.subscribe({ after: 3 })
    await w.commit(session, ...notes(701, 710))
    const first = await sequences(updates, 300)
    await w.commit(session, ...notes(711, 720))
    expect([...first, ...(await sequences(updates, 417))]).toEqual(range(4, 720))
  })

  test('E3: the newest events are not read again for one who is nearly there', async () => {
    let reads = 0
    const w = await world({
      stores: ({ scopes, events }) => ({
        scopes,
        events: {
          ...events,
          read: (query) => {
            reads += 1
            return events.read(query)
          },
        },
      }),
    })
    const session = await w.session('s')
    const other = await w.subscribe()
    await w.commit(session, ...notes(1, 60))
    const updates = await w.subscribe({ after: 10 })
    expect(await sequences(updates, 50)).toEqual(range(11, 60))
    expect(reads).toBe(0)
    await other.return?.()
  })

  test('E3: a cursor at the head waits for what is new; one from the future is refused', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 2))
    const updates = await w.subscribe({ after: 2 })
    const refusal = new RangeError('There is no event 3 yet: the log ends at 2.')
    await expect(w.subscribe({ after: 3 })).rejects.toThrow(refusal)
    await w.commit(session, note(3))
    expect(await labels(updates, 1)).toEqual(['message.updated 3'])
    expect(w.hub.size).toBe(1)
  })

  test('E3: a cursor older than the log has expired; the oldest one that the log reaches back to has not', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 10))
    await w.stores.events.prune(w.scopeKey, { before: 0, keep: 4, limit: 100 })
    await expect(w.subscribe({ after: 5 })).rejects.toBeInstanceOf(CursorExpired)
    expect(await sequences(await w.subscribe({ after: 6 }), 4)).toEqual([7, 8, 9, 10])
  })

  test('E3: a subscriber whose next events are removed while it is behind is told so, and is gone', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 600))
    const updates = await w.subscribe({ after: 0 })
    expect(await sequences(updates, 256)).toEqual(range(1, 256))
    await w.stores.events.prune(w.scopeKey, { before: 0, keep: 100, limit: 1000 })
    await expect(updates.next()).rejects.toBeInstanceOf(CursorExpired)
    expect([(await updates.next()).done, w.hub.size, w.clock.pending]).toEqual([true, 0, 0])
  })

  test('a store that fails makes the subscription fail, and nothing stays', async () => {
    const w = await world({
      stores: ({ scopes, events }) => ({
        scopes,
        events: {
          ...events,
          bounds: async () => {
            throw new Error('no store')
          },
        },
      }),
    })
    await expect(w.subscribe()).rejects.toThrow('no store')
    expect([w.hub.size, w.clock.pending]).toEqual([0, 0])
  })

  test('a scope without events has a beginning too', async () => {
    const w = await world()
    const session = await w.session('s')
    const updates = await w.subscribe({ after: 0 })
    await w.commit(session, note(1))
    expect(await labels(updates, 1)).toEqual(['message.updated 1'])
  })
})

describe('choosing', () => {
  test('E7: a session alone, with its descendants, or the whole scope, live and from the log', async () => {
    const w = await world()
    const root = await w.session('root')
    const child = await w.session('child', root)
    const other = await w.session('other')
    const live = await Promise.all([w.subscribe(only(root)), w.subscribe(only(root, true)), w.subscribe()])
    for (let n = 0; n < 300; n++) await w.commit([root, child, other][n % 3]!, note(n))
    const replayed = await Promise.all([
      w.subscribe({ ...only(root), after: 0 }),
      w.subscribe({ ...only(root, true), after: 0 }),
      w.subscribe({ after: 0 }),
    ])
    const expected = [
      range(1, 300).filter((n) => n % 3 === 1),
      range(1, 300).filter((n) => n % 3 !== 0),
      range(1, 300),
    ]
    for (const group of [live, replayed]) {
      const read = await Promise.all(group.map((updates, i) => sequences(updates, expected[i]!.length)))
      expect(read).toEqual(expected)
    }
  })

  test('E7: a child that is created later is included', async () => {
    const w = await world()
    const root = await w.session('root')
    const updates = await w.subscribe(only(root, true))
    const child = await w.session('child', root)
    await w.commit(child, note(1))
    expect(await labels(updates, 1)).toEqual(['message.updated 1'])
  })

  test('E7: a session that is created anew under the same id is another one', async () => {
    const w = await world()
    const first = await w.session('first')
    const second = await w.session('second')
    const updates = await w.subscribe({ ...only(second), after: 0 })
    await w.commit(first, note(1))
    await w.commit(second, note(2))
    expect(await labels(updates, 1)).toEqual(['message.updated 2'])
  })

  test('E7: types choose among the durable events alone', async () => {
    const w = await world()
    const session = await w.session('s')
    const part = w.part(session)
    const updates = await w.subscribe({ types: ['run.finished', 'part.completed'] })
    await part.open()
    part.say('Hi')
    w.activity(session, 'RESPONDING')
    expect(await labels(updates, 2)).toEqual(['0 + "Hi" = 2', 'is RESPONDING'])
    await part.complete()
    await w.commit(session, note(1), finished(runA))
    expect(await labels(updates, 2)).toEqual(['part.completed 2', 'run.finished 4'])
  })

  test('E7: without deltas there are events alone', async () => {
    const w = await world()
    const session = await w.session('s')
    const part = w.part(session)
    await part.open()
    part.say('Hel')
    const updates = await w.subscribe({ deltas: false })
    part.say('lo')
    w.activity(session, 'RESPONDING')
    await part.complete()
    await w.commit(session, note(1))
    expect(await labels(updates, 2)).toEqual(['part.completed 2', 'message.updated 3'])
  })

  test('activity reaches those who listen to its session, newest state last', async () => {
    const w = await world()
    const [one, two] = [await w.session('one'), await w.session('two')]
    const updates = await w.subscribe(only(one))
    w.activity(two, 'QUEUED')
    w.activity(one, 'THINKING')
    w.activity(one, 'RESPONDING')
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBe('is RESPONDING')
    const after = asked(updates)
    w.activity(one, 'IDLE')
    await w.clock.settle()
    expect(after.answer()).toBe('is IDLE')
  })
})

describe('quiet', () => {
  test('E8: who gets no event for 30 seconds is told how far the log has got, again and again', async () => {
    const w = await world()
    const [one, two] = [await w.session('one'), await w.session('two')]
    const updates = await w.subscribe(only(one))
    await w.commit(two, ...notes(1, 5))
    const first = asked(updates)
    await w.clock.advance(29_999)
    expect(first.answer()).toBeUndefined()
    await w.clock.advance(1)
    expect(first.answer()).toBe('advanced 5')
    await w.commit(two, note(6))
    const second = asked(updates)
    await w.clock.advance(29_999)
    expect(second.answer()).toBeUndefined()
    await w.clock.advance(1)
    expect(second.answer()).toBe('advanced 6')
  })

  test('E8: an event puts it off; deltas, which carry no cursor, do not', async () => {
    const w = await world()
    const session = await w.session('s')
    const part = w.part(session)
    const updates = await w.subscribe({ types: ['part.created'] })
    await w.clock.advance(20_000)
    await part.open()
    expect(await labels(updates, 1)).toEqual(['part.created 1'])
    const read: string[] = []
    for (let second = 0; second < 40; second++) {
      part.say('.')
      await w.clock.advance(1_000)
      read.push(...(await labels(updates, 1)))
    }
    expect(read.filter((label) => label.startsWith('advanced'))).toEqual(['advanced 1'])
    expect(read[29]).toBe('advanced 1')
  })

  test('E8: the cursor of an advance is good for going on', async () => {
    const w = await world()
    const [one, two] = [await w.session('one'), await w.session('two')]
    const updates = await w.subscribe(only(one))
    await w.commit(two, note(1))
    const quiet = asked(updates)
    await w.clock.advance(30_000)
    expect(quiet.answer()).toBe('advanced 1')
    await updates.return?.()
    await w.commit(one, note(2))
    expect(await labels(await w.subscribe({ ...only(one), after: 1 }), 1)).toEqual(['message.updated 2'])
  })
})

describe('ending', () => {
  test('E9: returning detaches at once: before the first next, while one waits, while the log is read', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 500))
    const fresh = await w.subscribe()
    await fresh.return?.()
    expect((await fresh.next()).done).toBe(true)
    expect(w.hub.size).toBe(0)

    const waiting = await w.subscribe()
    const [first, second] = [asked(waiting), asked(waiting)]
    await waiting.return?.()
    expect([await first.done, await second.done, w.hub.size]).toEqual(['over', 'over', 0])

    const reading = await w.subscribe({ after: 0 })
    const page = asked(reading)
    await reading.return?.()
    expect([await page.done, w.hub.size]).toEqual(['over', 0])
    await w.clock.settle()
    expect(w.clock.pending).toBe(0)
  })

  test('E9: several calls of next are answered in order, from the log and live', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 300))
    const updates = await w.subscribe({ after: 0 })
    const answers = range(1, 303).map(() => asked(updates).done)
    await w.clock.settle()
    await w.commit(session, ...notes(301, 302))
    await w.commit(session, note(303))
    expect(await Promise.all(answers)).toEqual(range(1, 303).map((n) => `message.updated ${n}`))
  })

  test('E9: a thousand subscribers who come and go leave nothing', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 20))
    for (let n = 0; n < 1000; n++) {
      const updates = await w.subscribe(n % 2 === 0 ? { after: n % 21 } : only(session, n % 3 === 0))
      if (n % 3 === 0) await w.commit(session, note(n))
      const next = asked(updates)
      if (n % 5 === 0) await w.clock.settle()
      await updates.return?.()
      await next.done
    }
    expect([w.hub.size, w.clock.pending, w.listeners()]).toEqual([0, 0, 1])
    w.hub.close()
    expect(w.listeners()).toBe(0)
  })

  test('E9: closing ends all subscriptions, also those that are just beginning', async () => {
    const w = await world()
    const session = await w.session('s')
    await w.commit(session, ...notes(1, 500))
    const streams = [await w.subscribe(), await w.subscribe({ after: 0 }), await w.subscribe(only(session))]
    const part = w.part(session)
    await part.open()
    const waiting = streams.flatMap((updates) => [asked(updates), asked(updates), asked(updates)])
    const beginning = w.subscribe()
    w.hub.close()
    w.hub.close()
    await w.clock.settle()
    expect(waiting.filter(({ answer }) => answer() !== 'over').map(({ answer }) => answer())).toEqual([
      'part.created 501',
      'part.created 501',
    ])
    expect((await (await beginning).next()).done).toBe(true)
    expect((await (await w.subscribe()).next()).done).toBe(true)
    expect([w.hub.size, w.clock.pending, w.listeners()]).toEqual([0, 0, 0])
  })
})

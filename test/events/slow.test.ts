import { describe, expect, test } from 'vitest'
import { asked, labels, nextOf, range, sequences } from './reading.ts'
import { note, notes, only, world } from './world.ts'

describe('a subscriber who does not read', () => {
  test('E6: reads the log at its own pace once more than 256 events wait, and then goes on live', async () => {
    const w = await world()
    const session = await w.session('s')
    const updates = await w.subscribe()
    for (let n = 1; n <= 3000; n += 10) await w.commit(session, ...notes(n, n + 9))
    expect(await sequences(updates, 1000)).toEqual(range(1, 1000))
    for (let n = 3001; n <= 3100; n++) await w.commit(session, note(n))
    expect(await sequences(updates, 2100)).toEqual(range(1001, 3100))
    const next = asked(updates)
    await w.commit(session, note(3101))
    expect(await next.done).toBe('message.updated 3101')
  })

  test('E6: while events come as fast as it reads, it catches up with them', async () => {
    const w = await world()
    const session = await w.session('s')
    const updates = await w.subscribe()
    await w.commit(session, ...notes(1, 1000))
    const read: number[] = []
    for (let n = 1001; n <= 3000; n++) {
      await w.commit(session, note(n))
      read.push(...(await sequences(updates, n % 2 === 0 ? 1 : 2)))
    }
    expect(read).toEqual(range(1, 3000))
  })

  test('E6: holds no text: however much is said, it gets it in one piece', async () => {
    const w = await world()
    const session = await w.session('s')
    const part = w.part(session)
    const updates = await w.subscribe()
    await part.open()
    for (let n = 0; n < 2_000; n++) part.say('0123456789')
    expect(await labels(updates, 1)).toEqual(['part.created 1'])
    const delta = { baseBytes: 0, totalBytes: 20_000, delta: part.text() }
    expect(await nextOf(updates)).toMatchObject({ type: 'delta', delta })
  })

  test('E6: loses the last text of a part when it falls behind, and gets the completion', async () => {
    const w = await world()
    const session = await w.session('s')
    const part = w.part(session)
    const updates = await w.subscribe()
    await part.open()
    part.say('Hello')
    await part.complete()
    await w.commit(session, ...notes(1, 300))
    expect(await labels(updates, 3)).toEqual(['part.created 1', 'part.completed 2', 'message.updated 3'])
    expect(await sequences(updates, 299)).toEqual(range(4, 302))
  })

  test('E6: no more than a megabyte of such texts waits', async () => {
    const w = await world()
    const session = await w.session('s')
    const updates = await w.subscribe()
    const quick = await w.subscribe({ types: ['run.finished'] })
    const parts = [0, 1, 2].map((partIndex) => w.part(session, { partIndex }))
    for (const part of parts) {
      await part.open()
      part.say('x'.repeat(400_000))
      await part.complete()
    }
    expect(await labels(updates, 6)).toEqual([1, 3, 5].flatMap((n) => [`part.created ${n}`, `part.completed ${n + 1}`]))
    const next = asked(quick)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
  })

  test('E5: when it rejoins in mid-part it gets the text so far, from which deltas go on', async () => {
    const w = await world()
    const session = await w.session('s')
    const [part, late] = [w.part(session), w.part(session, { partIndex: 1 })]
    const updates = await w.subscribe()
    await part.open()
    part.say('One, ')
    expect(await labels(updates, 2)).toEqual(['part.created 1', '0 + "One, " = 5'])
    await w.commit(session, ...notes(1, 290))
    part.say('two, ')
    await w.commit(session, late.created)
    late.say('Hm')
    expect(await sequences(updates, 291)).toEqual(range(2, 292))
    part.say('three')
    expect(await labels(updates, 2)).toEqual(['all "One, two, three" = 15', 'all "Hm" = 2'])
    part.say('.')
    expect(await labels(updates, 1)).toEqual(['15 + "." = 16'])
    await part.complete()
    await late.complete()
    expect(await labels(updates, 2)).toEqual(['part.completed 293', 'part.completed 294'])
  })

  test('E6: gets what the log knows before the tail does from the tail, which is told of it', async () => {
    const w = await world()
    const session = await w.session('s')
    const calm = await w.subscribe()
    await w.commit(session, ...notes(1, 200))
    const updates = await w.subscribe({ after: 0 })
    await w.record(session, ...notes(201, 210))
    expect(await sequences(updates, 1)).toEqual([1])
    await w.clock.settle()
    expect(await sequences(updates, 209)).toEqual(range(2, 210))
    expect(await sequences(calm, 210)).toEqual(range(1, 210))
    expect(w.clock.monotonic()).toBe(0)
  })

  test('E6: lets others run while it looks for its events among those of others', async () => {
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
    const [mine, other] = [await w.session('mine'), await w.session('other')]
    await w.record(other, ...notes(1, 5000))
    await w.record(mine, note(1))
    const next = asked(await w.subscribe({ ...only(mine), after: 0 }))
    for (let turn = 0; turn < 1000; turn++) await Promise.resolve()
    expect(reads).toBe(1)
    await w.clock.settle()
    expect(await next.done).toBe('message.updated 5001')
  })

  test('E6: keeps the newest activity of each session, of the newest 256 sessions', async () => {
    const w = await world()
    const first = await w.session('first')
    const updates = await w.subscribe()
    w.activity(first, 'QUEUED')
    const sessions = await Promise.all(range(1, 256).map((n) => w.session(`s${n}`)))
    for (const session of sessions) w.activity(session, 'QUEUED')
    for (const session of sessions) w.activity(session, 'THINKING')
    expect(new Set(await labels(updates, 256))).toEqual(new Set(['is THINKING']))
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
  })

  test('E6: what it does not listen to costs it nothing', async () => {
    const w = await world()
    const [mine, other] = [await w.session('mine'), await w.session('other')]
    const updates = await w.subscribe(only(mine))
    const part = w.part(mine)
    await part.open()
    part.say('Hello')
    await w.commit(other, ...notes(1, 1000))
    expect(await labels(updates, 2)).toEqual(['part.created 1', '0 + "Hello" = 5'])
  })
})

import { describe, expect, test } from 'vitest'
import type { RunId, SessionKey } from '../../src/kernel/ids.ts'
import type { EventTransport } from '../../src/ports/event-transport.ts'
import { asked, labels } from './reading.ts'
import { finished, note, notes, only, type PartHandle, runA, type World, world } from './world.ts'

async function started() {
  const w = await world()
  const session = await w.session('s')
  return { w, session, part: w.part(session) }
}
const textOf = (w: World, part: PartHandle, sessionKey: SessionKey) =>
  w.hub.liveText({ ...part.address, sessionKey })

describe('a subscriber who keeps up', () => {
  test('E4: sees the deltas of a part between its creation and its completion, each as it comes', async () => {
    const { w, session, part } = await started()
    const updates = await w.subscribe()
    const script: [() => unknown, string][] = [
      [part.open, 'part.created 1'],
      [() => part.say('Hello'), '0 + "Hello" = 5'],
      [() => part.say(', Wörld'), '5 + ", Wörld" = 13'],
      [() => w.commit(session, note(1)), 'message.updated 2'],
      [() => part.say('!'), '13 + "!" = 14'],
      [part.complete, 'part.completed 3'],
    ]
    for (const [act, expected] of script) {
      const next = asked(updates)
      await act()
      expect(await next.done).toBe(expected)
    }
  })

  test('E4: who asks later gets what was said in one piece, and the last piece before the completion', async () => {
    const { w, part } = await started()
    const updates = await w.subscribe()
    await part.open()
    for (const text of ['Hel', 'lo', ', ', 'Wör']) part.say(text)
    expect(await labels(updates, 2)).toEqual(['part.created 1', '0 + "Hello, Wör" = 11'])
    part.say('ld')
    part.say('!')
    await part.complete()
    expect(await labels(updates, 2)).toEqual(['11 + "ld!" = 14', 'part.completed 2'])
  })

  test('E4: creation, text and completion keep their order when nothing was asked for in between', async () => {
    const { w, session, part } = await started()
    const other = w.part(session, { partIndex: 1, kind: 'reasoning' })
    const updates = await w.subscribe()
    await part.open()
    part.say('Hello')
    await w.commit(session, other.created)
    other.say('Hm')
    await part.complete()
    await w.commit(session, note(1))
    await other.complete()
    expect(await labels(updates, 7)).toEqual([
      'part.created 1',
      'part.created 2',
      '0 + "Hello" = 5',
      'part.completed 3',
      'message.updated 4',
      '0 + "Hm" = 2',
      'part.completed 5',
    ])
  })

  test('E4: parts that stream at the same time take turns', async () => {
    const { w, session, part } = await started()
    const other = w.part(session, { partIndex: 1 })
    const updates = await w.subscribe()
    await w.commit(session, part.created, other.created)
    part.say('a')
    other.say('b')
    part.say('a')
    expect(await labels(updates, 4)).toEqual(['part.created 1', 'part.created 2', '0 + "aa" = 2', '0 + "b" = 1'])
  })

  test('E4: an emoji that was cut in two is delivered whole', async () => {
    const { w, part } = await started()
    const updates = await w.subscribe()
    await part.open()
    part.say('wave \ud83d')
    const next = asked(updates)
    expect(await next.done).toBe('part.created 1')
    const text = asked(updates)
    await w.clock.settle()
    expect(text.answer()).toBeUndefined()
    part.say('\udc4b.')
    expect(await text.done).toBe('0 + "wave 👋." = 10')
  })

  test('E4: a part that ends without text, or whose run ends without completing it, is simply over', async () => {
    const { w, session, part } = await started()
    const updates = await w.subscribe()
    await part.open()
    await part.complete()
    const left = w.part(session, { partIndex: 1 })
    await w.commit(session, left.created)
    left.say('cut sh')
    await w.commit(session, finished(runA))
    left.say('ort')
    await w.commit(session, note(1))
    expect(await labels(updates, 6)).toEqual([
      'part.created 1',
      'part.completed 2',
      'part.created 3',
      '0 + "cut sh" = 6',
      'run.finished 4',
      'message.updated 5',
    ])
    expect(textOf(w, left, session.key)).toBeUndefined()
  })

  test('E7: who does not want the creation or the completion gets the deltas all the same', async () => {
    const { w, part } = await started()
    const updates = await w.subscribe({ types: ['run.finished'] })
    await part.open()
    part.say('Hel')
    expect(await labels(updates, 1)).toEqual(['0 + "Hel" = 3'])
    part.say('lo')
    await part.complete()
    expect(await labels(updates, 1)).toEqual(['3 + "lo" = 5'])
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
  })
})

describe('a subscriber who comes in mid-part', () => {
  test('E5: gets the text so far, and deltas that go on from its byte count', async () => {
    const { w, session, part } = await started()
    await part.open()
    part.say('Grüß ')
    const updates = await w.subscribe()
    expect(await labels(updates, 1)).toEqual(['all "Grüß " = 7'])
    part.say('Gott')
    expect(await labels(updates, 1)).toEqual(['7 + "Gott" = 11'])
    const late = await w.subscribe(only(session))
    await part.complete()
    expect(await labels(late, 2)).toEqual(['all "Grüß Gott" = 11', 'part.completed 2'])
    expect(await labels(updates, 1)).toEqual(['part.completed 2'])
  })

  test('E5: after a resumption the snapshot follows the replay', async () => {
    const { w, session, part } = await started()
    await w.commit(session, ...notes(1, 400))
    await part.open()
    part.say('Hel')
    await w.commit(session, note(1))
    const updates = await w.subscribe({ after: 399 })
    part.say('lo')
    expect(await labels(updates, 4)).toEqual([
      'message.updated 400',
      'part.created 401',
      'message.updated 402',
      'all "Hello" = 5',
    ])
    const reader = await w.subscribe({ after: 0 })
    await labels(reader, 402)
    expect(await labels(reader, 1)).toEqual(['all "Hello" = 5'])
  })

  test('E5: gets a snapshot of each part that he may see, and none of a part that is complete', async () => {
    const { w, session, part } = await started()
    const other = await w.session('other')
    const elsewhere = w.part(other)
    const second = w.part(session, { partIndex: 1 })
    const third = w.part(session, { partIndex: 2 })
    for (const each of [part, second, third, elsewhere]) await each.open()
    part.say('one')
    second.say('two')
    third.say('three')
    elsewhere.say('four')
    await second.complete()
    expect(await labels(await w.subscribe(only(session)), 2)).toEqual(['all "one" = 3', 'all "three" = 5'])
    expect(await labels(await w.subscribe(only(other)), 1)).toEqual(['all "four" = 4'])
  })

  test('E5: gets deltas from the beginning of a part that has said nothing yet', async () => {
    const { w, part } = await started()
    await part.open()
    const updates = await w.subscribe()
    part.say('Hel')
    part.say('lo')
    expect(await labels(updates, 1)).toEqual(['0 + "Hello" = 5'])
  })
})

describe('when signals are late or lost', () => {
  test('E4: deltas that come before their creation is known wait for it', async () => {
    const { w, session, part } = await started()
    const updates = await w.subscribe()
    await w.record(session, note(1), part.created)
    part.say('Hel')
    part.say('lo')
    expect(await labels(updates, 3)).toEqual(['message.updated 1', 'part.created 2', '0 + "Hello" = 5'])
  })

  test('E5: a part that was created before anybody listened is announced by its text', async () => {
    const { w, session, part } = await started()
    await w.record(session, part.created)
    const updates = await w.subscribe()
    const next = asked(updates)
    part.say('Hel')
    expect(await next.done).toBe('0 + "Hel" = 3')
    await part.complete()
    expect(await labels(updates, 1)).toEqual(['part.completed 2'])
  })

  test('E5: a part is no longer streaming for one who comes after a completion of which nobody was told', async () => {
    const { w, session, part } = await started()
    await part.open()
    part.say('Hello')
    await w.record(session, part.completed)
    const updates = await w.subscribe()
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
    expect(textOf(w, part, session.key)).toBeUndefined()
  })

  test('E12: nor does it stay when its first delta was all that was heard of it', async () => {
    const { w, session, part } = await started()
    await w.record(session, part.created)
    part.say('Hello')
    await w.record(session, part.completed)
    await w.clock.settle()
    expect([textOf(w, part, session.key), w.clock.pending]).toEqual([undefined, 0])
  })

  test('E11: a part that may as well be complete stays unseen, also when its creation is heard of later', async () => {
    const { w, session, part } = await started()
    const created = await w.record(session, part.created)
    await w.record(session, ...notes(1, 300))
    part.say('Hel')
    expect(textOf(w, part, session.key)).toBe('Hel')
    await w.clock.settle()
    expect([textOf(w, part, session.key), w.clock.pending]).toEqual([undefined, 0])
    w.tell(1, created)
    part.say('lo')
    const updates = await w.subscribe()
    part.say('!')
    expect(textOf(w, part, session.key)).toBeUndefined()
    await part.complete()
    expect(await labels(updates, 1)).toEqual(['part.completed 302'])
  })

  test('E4: repeated and late deltas change nothing, also after the completion', async () => {
    let repeat = (): void => {}
    const twice = (inner: EventTransport): EventTransport => ({
      listen: (listener) => inner.listen(listener),
      publish(signal) {
        inner.publish(signal)
        inner.publish(signal)
        if (signal.type === 'delta') repeat = () => inner.publish(signal)
      },
    })
    const w = await world({ transport: twice })
    const session = await w.session('s')
    const part = w.part(session)
    const updates = await w.subscribe()
    await part.open()
    part.say('Hel')
    part.say('lo')
    await part.complete()
    repeat()
    await w.commit(session, note(1))
    expect(await labels(updates, 2)).toEqual(['part.created 1', '0 + "Hello" = 5'])
    expect(await labels(updates, 2)).toEqual(['part.completed 2', 'message.updated 3'])
    await updates.return?.()
    repeat()
    await w.clock.settle()
    expect(w.clock.pending).toBe(0)
  })

  test('E11: after a lost delta nothing is said of the part any more until it is complete', async () => {
    const { w, session, part } = await started()
    const updates = await w.subscribe()
    await part.open()
    part.say('Hello')
    expect(await labels(updates, 2)).toEqual(['part.created 1', '0 + "Hello" = 5'])
    part.mumble(', ')
    part.say('World')
    part.say('!')
    const joining = await w.subscribe()
    expect(textOf(w, part, session.key)).toBeUndefined()
    await part.complete()
    expect(await labels(updates, 1)).toEqual(['part.completed 2'])
    expect(await labels(joining, 1)).toEqual(['part.completed 2'])
    expect(w.log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'warn: A delta is missing: its text is unknown.',
    ])
    const next = w.part(session, { partIndex: 1 })
    await next.open()
    next.say('fine')
    expect(await labels(updates, 2)).toEqual(['part.created 3', '0 + "fine" = 4'])
  })

  test('E11: a part whose beginning was missed is unknown from the start', async () => {
    const { w, session, part } = await started()
    await part.open()
    part.mumble('Hello')
    part.say('!')
    const updates = await w.subscribe()
    part.say('!')
    await part.complete()
    expect(await labels(updates, 1)).toEqual(['part.completed 2'])
    expect(textOf(w, part, session.key)).toBeUndefined()
  })
})

describe('the text of a part', () => {
  test('E12: can be read while it streams, also when nobody has subscribed', async () => {
    const { w, session, part } = await started()
    expect(textOf(w, part, session.key)).toBeUndefined()
    await part.open()
    expect(textOf(w, part, session.key)).toBe('')
    part.say('Hello')
    expect(textOf(w, part, session.key)).toBe('Hello')
    part.say('!')
    expect(textOf(w, part, session.key)).toBe('Hello!')
    await part.complete()
    expect(textOf(w, part, session.key)).toBeUndefined()
    expect(w.clock.pending).toBe(0)
  })

  test('E12: is let go when the part completes or its run ends, also when only the log says so', async () => {
    const { w, session } = await started()
    const parts = [0, 1, 2].map((partIndex) => w.part(session, { partIndex }))
    const ofOtherRun = w.part(session, { messageIndex: 3, runId: 'run-b' as RunId })
    for (const part of [...parts, ofOtherRun]) {
      await part.open()
      part.say('text')
    }
    const texts = () => [...parts, ofOtherRun].map((part) => textOf(w, part, session.key))
    await parts[0]!.complete()
    expect(texts()).toEqual([undefined, 'text', 'text', 'text'])
    await w.record(session, parts[1]!.completed)
    await w.clock.advance(1_000)
    expect(texts()).toEqual([undefined, undefined, 'text', 'text'])
    await w.commit(session, finished(runA))
    expect(texts()).toEqual([undefined, undefined, undefined, 'text'])
    await w.record(session, finished(ofOtherRun.address.runId))
    await w.clock.advance(1_000)
    expect([texts(), w.clock.pending]).toEqual([[undefined, undefined, undefined, undefined], 0])
  })

  test('E12: is let go with age when the events that would have ended it were erased', async () => {
    const { w, session, part } = await started()
    const updates = await w.subscribe()
    await part.open()
    part.say('Hello')
    await w.record(session, part.completed, finished(runA))
    await w.stores.events.purge([session.key], 100)
    await w.clock.advance(3_599_000)
    expect(textOf(w, part, session.key)).toBe('Hello')
    await w.clock.advance(2_000)
    expect(textOf(w, part, session.key)).toBeUndefined()
    part.say('again')
    expect(await labels(updates, 1)).toEqual(['part.created 1'])
    await updates.return?.()
    expect(w.clock.pending).toBe(0)
  })
})

import { describe, expect, test } from 'vitest'
import { utf8Length } from '../kernel/text.ts'
import type { GenerationId, MessageId, PartId, RunId, ScopeKey, SessionId, SessionKey } from '../kernel/ids.ts'
import type { Delta } from '../ports/event-transport.ts'
import { LivePart } from './live-part.ts'
import { PartCursors } from './part-cursors.ts'

const address = {
  runId: 'run' as RunId,
  messageId: 'run.1' as MessageId,
  partId: 'run.1.0' as PartId,
  messageIndex: 1,
  partIndex: 0,
}
const place = { scopeKey: 1 as ScopeKey, sessionKey: 2 as SessionKey, path: '000000000001' }
const generation = { generationId: 'g' as GenerationId, generationSequence: 1 }
const session = { ...place, sessionId: 's' as SessionId, generation }

/** The pieces as deltas, each telling what was there before it. */
function deltasOf(...pieces: string[]): Delta[] {
  return pieces.map((delta, i) => {
    const before = pieces.slice(0, i).join('')
    const totalBytes = utf8Length(before + delta)
    return { session, address, kind: 'text', delta, baseBytes: utf8Length(before), totalBytes, timestamp: i }
  })
}
const empty = () => new LivePart({ ...place, ...address }, 0)

function grown(...pieces: string[]) {
  const part = empty()
  for (const delta of deltasOf(...pieces)) expect(part.append(delta, 0)).toBe('grew')
  return part
}
const short = (delta: Delta | undefined) => delta && [delta.baseBytes, delta.delta, delta.totalBytes]

test('what a reader missed is one delta, with the byte counts of its ends', () => {
  const part = grown('Grü', 'ße', ' 👋')
  expect(part.text).toBe('Grüße 👋')
  expect([0, 1, 2, 3].map((seen) => short(part.after(seen)))).toEqual([
    [0, 'Grüße 👋', 12],
    [4, 'ße 👋', 12],
    [7, ' 👋', 12],
    undefined,
  ])
})

test('readers who have seen the same share the delta', () => {
  const part = grown('a', 'b')
  const first = part.after(1)
  expect(part.after(1)).toBe(first)
  expect(part.after(0)).not.toBe(first)
})

test('a piece that ends in half a code point waits for the other half', () => {
  const part = empty()
  const [first, ...others] = [
    { delta: 'a', baseBytes: 0, totalBytes: 1 },
    { delta: 'b\ud83d', baseBytes: 1, totalBytes: 5 },
    { delta: '\udc4b', baseBytes: 5, totalBytes: 6 },
  ].map((sizes) => ({ session, address, kind: 'text' as const, timestamp: 0, ...sizes }))
  part.append(first!, 0)
  part.append(others[0]!, 0)
  expect([part.length, part.text, short(part.after(0))]).toEqual([1, 'a', [0, 'a', 1]])
  part.append(others[1]!, 0)
  expect([part.text, short(part.after(1))]).toEqual(['ab👋', [1, 'b👋', 6]])
})

test('E11: a repeated delta changes nothing; one that does not continue breaks the part for good', () => {
  const part = empty()
  const [a, b, c, d] = deltasOf('a', 'b', 'c', 'd')
  expect([part.append(a!, 1), part.append(b!, 2), part.append(b!, 3), part.append(a!, 4)]).toEqual([
    'grew',
    'grew',
    'repeated',
    'repeated',
  ])
  expect([part.text, part.touchedAt]).toEqual(['ab', 4])
  expect([part.append(d!, 5), part.append(c!, 6), part.append(d!, 7)]).toEqual(['broke', 'broken', 'broken'])
  expect([part.length, part.touchedAt]).toEqual([0, 7])
  expect([part.text, part.after(0), part.snapshot()]).toEqual([undefined, undefined, undefined])
})

test('E11: a part whose first delta is not its beginning has no text', () => {
  const part = empty()
  expect([part.append(deltasOf('a', 'b')[1]!, 0), part.text]).toEqual(['broke', undefined])
})

describe('a cursor', () => {
  test('begins with a delta, joins with a snapshot, and goes on from either', () => {
    const part = grown('a', 'b')
    const [beginner, joiner] = [new PartCursors(), new PartCursors()]
    beginner.begin(part)
    joiner.join(part)
    expect(beginner.next()).toMatchObject({ type: 'delta', delta: { delta: 'ab', baseBytes: 0, totalBytes: 2 } })
    expect(joiner.next()).toMatchObject({ type: 'snapshot', text: 'ab', totalBytes: 2 })
    part.append(deltasOf('a', 'b', 'c')[2]!, 0)
    for (const cursors of [beginner, joiner]) {
      cursors.grew(part)
      expect(cursors.next()).toMatchObject({ type: 'delta', delta: { delta: 'c', baseBytes: 2, totalBytes: 3 } })
      expect(cursors.next()).toBeUndefined()
    }
  })

  test('joins a part without text at its beginning', () => {
    const part = empty()
    const cursors = new PartCursors()
    cursors.join(part)
    expect(cursors.next()).toBeUndefined()
    part.append(deltasOf('a')[0]!, 0)
    cursors.grew(part)
    expect(cursors.next()).toMatchObject({ type: 'delta', delta: { delta: 'a', baseBytes: 0 } })
  })

  test('takes the part that waits longest, knows only its own, and leaves nothing behind', () => {
    const [first, second, unknown] = [grown('1'), grown('2'), grown('3')]
    const cursors = new PartCursors()
    cursors.begin(second)
    cursors.begin(first)
    cursors.grew(unknown)
    expect(cursors.next()).toMatchObject({ delta: { delta: '2' } })
    expect(cursors.close(first)).toMatchObject({ delta: { delta: '1' } })
    expect([cursors.close(first), cursors.close(second), cursors.close(unknown), cursors.next()]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    cursors.join(first)
    cursors.clear()
    expect([cursors.next(), cursors.close(first)]).toEqual([undefined, undefined])
  })
})

import { expect, test } from 'vitest'
import { emptyContent, runOf } from '../../../test/support/content.ts'
import { asSessionKey } from '../../kernel/ids.ts'
import { type Lineal, whyDamaged } from './lineage.ts'

const origin = { parentRunId: runOf('run'), parentToolCallId: 'call' }

/** A session at each depth, each the child of the one before. */
const line = (depth: number): readonly Lineal[] =>
  Array.from({ length: depth + 1 }, (_, i) => ({
    key: asSessionKey(i + 1),
    place: {
      ...emptyContent.session.place,
      rootKey: asSessionKey(1),
      depth: i,
      ...(i > 0 && { parentKey: asSessionKey(i), agent: 'writer', origin }),
    },
  }))

const last = (members: readonly Lineal[]): Lineal => members.at(-1) ?? expect.fail('There is nobody.')

/** The last of a line of three, and that line, with one of them changed. */
function changed(depth: number, place: Partial<Lineal['place']>): string | undefined {
  const members = line(2).map((member, i) => (i === depth ? { ...member, place: { ...member.place, ...place } } : member))
  return whyDamaged(last(members), members)
}

test('S13: a session fits into its tree when all above it are there, each the parent of the next, and its origin is known', () => {
  for (const depth of [0, 1, 2, 8]) expect(whyDamaged(last(line(depth)), line(depth).toReversed())).toBeUndefined()
})

test.for([0, 1])('S13: without the session at depth %i above it, it does not', (depth) => {
  const members = line(2)
  expect(whyDamaged(last(members), members.toSpliced(depth, 1))).toBe('a session above it is not there')
})

test('S13: a line that does not follow, a cycle among them, does not fit', () => {
  const broken = [
    changed(1, { parentKey: asSessionKey(3) }),
    changed(1, { parentKey: null }),
    changed(0, { parentKey: asSessionKey(3) }),
    changed(2, { rootKey: asSessionKey(2) }),
    changed(0, { depth: 1 }),
  ]
  expect(new Set(broken)).toEqual(new Set(['it and the sessions above it do not follow each other']))
})

test('S13: a child says which call has created it, and a root does not', () => {
  expect(changed(2, { origin: null })).toBe('it does not say which call has created it')
  const root = last(line(0))
  expect(whyDamaged({ ...root, place: { ...root.place, origin } }, [])).toBe('it does not say which call has created it')
})

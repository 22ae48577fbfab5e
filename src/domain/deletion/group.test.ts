import { expect, test } from 'vitest'
import { asGenerationId, asRunId, asSessionId, asSessionKey, type ScopeKey } from '../../kernel/ids.ts'
import { noUsage } from '../run/usage.ts'
import { pathBelow, sequencesOf } from '../session/session.ts'
import { finishOf, groupsBelow, lossOf, reservationOf } from './group.ts'
import { childrenFirst } from './order.ts'
import type { Member, Tombstone } from './tombstone.ts'

const scopeKey = 1 as ScopeKey
const pathOf = (...sequences: readonly number[]) => sequences.reduce(pathBelow, '')

const member = (sessionId: string, ...place: readonly number[]): Member => ({
  key: asSessionKey(place.at(-1) ?? 0),
  sessionId: asSessionId(sessionId),
  generation: { generationId: asGenerationId(`g of ${sessionId}`), generationSequence: place.at(-1) ?? 0 },
  path: pathOf(...place),
})

const parent = { sessionId: asSessionId('top'), generation: { generationId: asGenerationId('g'), generationSequence: 1 } }
const origin = { parentRunId: asRunId('run'), parentToolCallId: 'call' }

const tombstone = (of: Member, group: number): Tombstone => ({
  ...of,
  scopeKey,
  group: asSessionKey(group),
  groupDepth: 0,
  depth: sequencesOf(of.path).length - 1,
  provenance: sequencesOf(of.path).length > 1 ? { parent, origin, agent: 'worker' } : null,
  deletedAt: 5,
  deletedBy: 'ann',
  owner: null,
  settled: false,
})

/**
 *     top(1) ─ s(2) ─ a(3) ─ c(5)
 *                   └ b(4)
 */
const [top, s, a, b, c] = [member('top', 1), member('s', 1, 2), member('a', 1, 2, 3), member('b', 1, 2, 4), member('c', 1, 2, 3, 5)]

test('D4: sessions are deleted children first, ties by id', () => {
  expect(childrenFirst([top, s, b, a, c])).toEqual([c, a, b, s, top])
  const twins = [member('same', 1, 2), member('same', 1, 3)]
  expect(childrenFirst(twins)).toEqual(twins)
})

test('S63: a reservation names the whole live subtree and what was known below its top', () => {
  const subtree = { top: { ...s, changes: 3 }, members: [s, a, b, c], tombstones: [] }
  expect(reservationOf(subtree, { at: 7, by: 'ann' })).toEqual({
    kind: 'reserve',
    top: { ...s, changes: 3 },
    members: [s, a, b, c],
    at: 7,
    by: 'ann',
  })
})

test('S64: what is above a reserved subtree has as many descendants less, and keeps what they have spent', () => {
  const lost = { usage: noUsage, descendants: -2, scopeKey }
  expect(lossOf(scopeKey, { top: { ...a, changes: 1 }, members: [a, c], tombstones: [] })).toEqual({
    ...lost,
    paths: [top.path, s.path],
  })
  expect(lossOf(scopeKey, { top: { ...top, changes: 1 }, members: [top, s], tombstones: [] })).toEqual({ ...lost, paths: [] })
})

test('D4: a finish removes a whole group and reports each of it with who it was alone', () => {
  const { structure, events } = finishOf(s.key, [s, a].map((one) => tombstone(one, 2)), 9)
  expect(structure).toEqual({ kind: 'finish', group: s.key, members: [a, s] })
  const body = { type: 'session.deleted', agent: 'worker', parentSessionId: 'top', deletedBy: 'ann' }
  expect(events).toEqual([
    { sessionKey: a.key, timestamp: 9, body: { ...body, depth: 2 } },
    { sessionKey: s.key, timestamp: 9, body: { ...body, depth: 1 } },
  ])
  const [ofRoot] = finishOf(top.key, [tombstone(top, 1)], 9).events
  expect(ofRoot?.body).toMatchObject({ agent: null, parentSessionId: null, depth: 0 })
})

test('D4: groups that hang below another are finished before it, the deepest first', () => {
  const tombstones = [tombstone(top, 1), tombstone(s, 2), tombstone(a, 3), tombstone(c, 3), tombstone(b, 2)]
  expect(groupsBelow(asSessionKey(1), tombstones)).toEqual([3, 2])
  expect(groupsBelow(asSessionKey(3), tombstones.slice(2, 4))).toEqual([])
})

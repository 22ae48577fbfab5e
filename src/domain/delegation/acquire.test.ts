import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyContent, entryWith, runOf } from '../../../test/support/content.ts'
import { asSessionId, asSessionKey } from '../../kernel/ids.ts'
import type { Session } from '../session/session.ts'
import { acquire, type Candidate, type Wish } from './acquire.ts'
import type { Delegation } from './delegation.ts'

const root = emptyContent.session
const parent: Session = {
  ...root,
  key: asSessionKey(2),
  sessionId: asSessionId('parent'),
  place: { ...root.place, parentKey: root.key, depth: 1 },
}
const runId = runOf('now')

const childOf = (of: Session, fields: Partial<Session['place']> = {}): Session => ({
  ...of,
  key: asSessionKey(3),
  sessionId: asSessionId('child'),
  place: {
    ...of.place,
    parentKey: of.key,
    depth: of.place.depth + 1,
    agent: 'writer',
    origin: { parentRunId: runOf('earlier'), parentToolCallId: 'call' },
    ...fields,
  },
})

const delegation: Delegation = {
  parentKey: parent.key,
  parentSessionId: parent.sessionId,
  parentGeneration: parent.generation,
  parentQueueId: entryWith().queueId,
  parentRunId: runId,
  toolCallId: 'call',
}

const candidate = (session: Session, entries: Candidate['entries'] = []): Candidate => ({ session, entries })

const wishWith = (fields: Partial<Wish> = {}): Wish => ({
  parent,
  runId,
  toolCallId: 'call',
  agent: 'writer',
  childId: asSessionId('child'),
  by: 'taskId',
  existing: candidate(childOf(parent)),
  line: [root, parent],
  acquired: new Map(),
  definitions: [
    { name: 'writer', description: 'Writes.' },
    { name: 'researcher', description: 'Searches.' },
  ],
  maxDepth: 2,
  recovery: 'RESUME',
  ...fields,
})

const kindOf = (fields: Partial<Wish> = {}) => acquire(wishWith(fields)).kind

function refusalOf(fields: Partial<Wish> = {}): string {
  const acquisition = acquire(wishWith(fields))
  return acquisition.kind === 'refused' ? `${acquisition.refusal.code} ${acquisition.refusal.message}` : acquisition.kind
}

const byOrigin = { by: 'origin', existing: undefined } as const
const origin = { parentRunId: runId, parentToolCallId: 'call' }

test('G55: an idle child of the same parent and agent that an earlier run has made goes on', () => {
  const existing = candidate(childOf(parent))
  expect(acquire(wishWith({ existing }))).toEqual({ kind: 'resume', candidate: existing })
})

const unusable = refusalOf({ existing: undefined })

test.each<[what: string, fields: Partial<Wish>]>([
  ['of another parent', { existing: candidate(childOf(parent, { parentKey: asSessionKey(9) })) }],
  ['of another agent', { existing: candidate(childOf(parent, { agent: 'researcher' })) }],
  ['that is being deleted', { existing: 'tombstoned' }],
  ['that is no child', { existing: candidate({ ...childOf(parent, { agent: null, origin: null }) }) }],
  ['without an origin', { existing: candidate(childOf(parent, { origin: null })) }],
  ['that this run has made', { existing: candidate(childOf(parent, { origin })) }],
  ['that another call of this run has acquired', { acquired: new Map([[asSessionId('child'), 'another']]) }],
  ['of the parent itself', { childId: parent.sessionId, existing: candidate(parent) }],
  ['of a session above', { childId: root.sessionId, existing: candidate(root) }],
])('G55: a taskId %s is refused as one that nobody has is', (_, fields) => {
  expect(unusable).toContain('VALIDATION_FAILED taskId: this id cannot be used. Omit taskId')
  expect(refusalOf(fields)).toBe(unusable)
})

test('G55: a child that is at work is busy', () => {
  const session: Session = { ...childOf(parent), work: { kind: 'queued', since: 1 } }
  expect(refusalOf({ existing: candidate(session) })).toContain('SESSION_BUSY')
})

test('G53: an agent that there is not is refused with those that there are', () => {
  expect(refusalOf({ agent: 'painter' })).toContain('there is no subagent "painter"; there are "writer", "researcher"')
})

test('G45: below a session that is as deep as may be nothing begins', () => {
  expect(refusalOf({ ...byOrigin, maxDepth: 1 })).toContain('the limit is 1')
})

test('G59: below a line with a gap, or that does not lead to the parent, nothing begins', () => {
  for (const line of [[parent], [root], [root, { ...root, key: asSessionKey(8) }], []]) {
    expect(refusalOf({ ...byOrigin, line })).toContain('is being deleted')
  }
})

test('G41: a call without a taskId makes its child, and meets one that is there by its exact origin only', () => {
  expect(kindOf(byOrigin)).toBe('create')
  const exact = childOf(parent, { origin })
  expect(acquire(wishWith({ by: 'origin', existing: candidate(exact) }))).toMatchObject({ kind: 'resume' })
  expect(refusalOf({ by: 'origin', existing: 'tombstoned' })).toContain('VALIDATION_FAILED')
  for (const place of [
    { origin: { ...origin, parentToolCallId: 'another' } },
    { origin: { ...origin, parentRunId: runOf('another') } },
    { origin: null },
    { origin, agent: 'researcher' },
    { origin, parentKey: asSessionKey(9) },
  ]) {
    expect(refusalOf({ by: 'origin', existing: candidate(childOf(parent, place)) })).toContain('VALIDATION_FAILED')
  }
})

test('G41: a child that this very call has prompted is taken up under RESUME, and not repeated under FAIL', () => {
  const entry = entryWith({ delegation })
  const existing = candidate(childOf(parent, { origin }), [entryWith(), entry])
  expect(acquire(wishWith({ by: 'origin', existing }))).toEqual({ kind: 'reattach', entry })
  expect(refusalOf({ by: 'origin', existing, recovery: 'FAIL' })).toContain('it is not repeated')
  const others = [entryWith({ delegation: { ...delegation, toolCallId: 'b' } }), entryWith({ delegation: { ...delegation, parentRunId: runOf('b') } })]
  expect(kindOf({ by: 'origin', existing: candidate(childOf(parent, { origin }), others) })).toBe('resume')
})

test('G41: a call that has acquired a child before may acquire it again', () => {
  expect(kindOf({ acquired: new Map([[asSessionId('child'), 'call']]) })).toBe('resume')
})

const places = fc.record({
  parentKey: fc.constantFrom(parent.key, root.key, null),
  agent: fc.constantFrom('writer', 'researcher', null),
  origin: fc.constantFrom(null, origin, { ...origin, parentRunId: runOf('earlier') }, { ...origin, parentToolCallId: 'b' }),
})
const wishes = fc.record({
  by: fc.constantFrom('taskId' as const, 'origin' as const),
  existing: fc.option(
    fc.record({
      session: fc.tuple(places, fc.boolean()).map(([place, isIdle]): Session => ({
        ...childOf(parent, place),
        work: { kind: isIdle ? 'idle' : 'queued', since: 1 },
      })),
      entries: fc.subarray([entryWith(), entryWith({ delegation })]),
    }),
    { nil: undefined },
  ),
  maxDepth: fc.constantFrom(1, 2, 8),
  recovery: fc.constantFrom('RESUME' as const, 'FAIL' as const),
  agent: fc.constantFrom('writer', 'researcher', 'painter'),
})

test('G59: whatever there is, a call gets only what is its own: a new child, or one of its parent and its agent', () => {
  fc.assert(
    fc.property(wishes, (fields) => {
      const wish = wishWith(fields)
      const acquisition = acquire(wish)
      if (acquisition.kind === 'refused') return
      const { existing } = fields
      const place = existing?.session.place
      expect([wish.by === 'origin' && acquisition.kind === 'create', existing === undefined]).toEqual([!existing, !existing])
      expect([place?.parentKey ?? parent.key, place?.agent ?? wish.agent]).toEqual([parent.key, wish.agent])
      const isEarlier = place?.origin?.parentRunId !== runId
      expect(wish.by === 'taskId' ? isEarlier && existing?.session.work.kind === 'idle' : !place || !isEarlier).toBe(true)
      expect(acquisition.kind === 'reattach' && wish.recovery === 'FAIL').toBe(false)
      expect(wish.maxDepth).toBeGreaterThan(parent.place.depth)
    }),
  )
})

import { expect, test } from 'vitest'
import { asGenerationId, asRunId, asSessionId, asSessionKey, type ScopeKey } from '../../kernel/ids.ts'
import { statusOf } from '../session/session.ts'
import { announceCreation } from './announce-creation.ts'
import { type Birth, newSession, type SessionSeed } from './new-session.ts'

const seed: SessionSeed = {
  key: asSessionKey(7),
  scopeKey: 1 as ScopeKey,
  sessionId: asSessionId('s'),
  generationId: asGenerationId('g'),
  title: 'Holidays',
  metadata: { team: 'a' },
  createdBy: 'ann',
  at: 1000,
}

const place = { parentKey: asSessionKey(3), rootKey: asSessionKey(2), depth: 1, agent: null, origin: null }
const birth: Birth = {
  parent: { key: asSessionKey(5), place: { ...place, path: '000000000004000000000009' } },
  agent: 'researcher',
  origin: { parentRunId: asRunId('r'), parentToolCallId: 't' },
}

test('S2: a session without a parent is a root: its own root, at depth 0', () => {
  expect(newSession(seed).place).toEqual({
    parentKey: null,
    rootKey: seed.key,
    depth: 0,
    parentPath: '',
    agent: null,
    origin: null,
  })
})

test('S2: a child is one level below its parent, has its root, and keeps its agent and origin', () => {
  expect(newSession(seed, birth).place).toEqual({
    parentKey: 5,
    rootKey: 2,
    depth: 2,
    parentPath: '000000000004000000000009',
    agent: 'researcher',
    origin: { parentRunId: 'r', parentToolCallId: 't' },
  })
})

test('S2: a new session is as it was asked for, idle and empty', () => {
  const { place: _place, ...session } = newSession(seed)
  const { at, ...asked } = seed
  expect(session).toEqual({
    ...asked,
    createdAt: at,
    updatedAt: at,
    revision: 0,
    epoch: 0,
    work: { kind: 'idle', since: at },
    owner: null,
    next: { entry: 0, run: 0, message: 0, log: 0, permission: 0, execution: 0 },
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, reasoningTokens: 0, cachedInputTokens: 0 },
  })
  expect(statusOf(session)).toBe('IDLE')
})

test('E24: a new session is announced with its title, agent, depth and creator', () => {
  const body = { type: 'session.created', title: 'Holidays', createdBy: 'ann' }
  const draft = (where: object) => ({ sessionKey: 7, timestamp: 1000, body: { ...body, ...where } })
  expect(announceCreation(newSession(seed))).toEqual(draft({ agent: null, depth: 0 }))
  expect(announceCreation(newSession(seed, birth))).toEqual(draft({ agent: 'researcher', depth: 2 }))
})

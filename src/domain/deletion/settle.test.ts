import { expect, test } from 'vitest'
import { asGenerationId, asPermissionId, asRunId, asSessionId, asSessionKey, type ScopeKey } from '../../kernel/ids.ts'
import type { Permission } from '../permission/permission.ts'
import { settleOf } from './settle.ts'

const member = (key: number) => ({
  key: asSessionKey(key),
  sessionId: asSessionId(`s${key}`),
  generation: { generationId: asGenerationId('g'), generationSequence: key },
  path: String(key),
})

const pending: Permission = {
  scopeKey: 1 as ScopeKey,
  sessionKey: asSessionKey(2),
  ordinal: 0,
  permissionId: asPermissionId('p'),
  runId: asRunId('r'),
  kind: 'tool',
  description: 'Do it',
  toolCallId: null,
  rememberKey: null,
  metadata: null,
  createdAt: 1,
  state: { kind: 'pending' },
}

test('D6: settling a group cancels what waits in it, and tells of that and of nothing else', () => {
  const answered: Permission = {
    ...pending,
    sessionKey: asSessionKey(3),
    state: { kind: 'resolved', decision: 'ONCE', message: null, by: 'ann', at: 4 },
  }
  const settle = settleOf({ group: asSessionKey(1), members: [1, 2, 3].map(member), pending: [pending, answered], at: 9 })
  const state = { kind: 'resolved', decision: 'CANCELLED', message: null, by: null, at: 9 }
  expect(settle).toEqual({
    structure: { kind: 'settle', group: 1, members: [member(2)] },
    rows: [{ table: 'permission', op: 'update', row: { ...pending, state } }],
    events: [
      {
        sessionKey: 2,
        timestamp: 9,
        body: { type: 'permission.resolved', runId: 'r', permission: expect.objectContaining({ permissionId: 'p', state }) as object },
      },
    ],
  })
})

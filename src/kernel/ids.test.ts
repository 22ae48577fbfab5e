import { expect, test } from 'vitest'
import {
  asGenerationId,
  asIntentId,
  asPermissionId,
  asQueueId,
  asRunId,
  asScopeId,
  asScopeKey,
  asSessionId,
  asSessionKey,
  asStorageKey,
  asWriteId,
  intentIdOf,
  messageIdOf,
  partIdOf,
} from './ids.ts'

test('K8: the ids of messages, parts and intents follow from the id of their run', () => {
  const runId = asRunId('r')
  expect([messageIdOf(runId, 0), messageIdOf(runId, 1)]).toEqual(['r.0', 'r.1'])
  expect(partIdOf(messageIdOf(runId, 1), 12)).toBe('r.1.12')
  expect(intentIdOf(runId, 12)).toBe('r.call.12')
})

test('a string becomes an id as it is', () => {
  const makers = [
    asScopeId,
    asStorageKey,
    asSessionId,
    asGenerationId,
    asQueueId,
    asRunId,
    asPermissionId,
    asIntentId,
    asWriteId,
  ]
  for (const as of makers) expect(as(' ü')).toBe(' ü')
  for (const as of [asScopeKey, asSessionKey]) expect(as(7)).toBe(7)
})

import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asRunId, asSessionId, asStorageKey } from '../../kernel/ids.ts'
import { utf8Length } from '../../kernel/text.ts'
import { MAX_ID_BYTES } from '../limits.ts'
import { childIdOf, type Origin } from './child-id.ts'

const originOf = ([storageKey, parentSessionId, parentRunId, toolCallId]: readonly [string, string, string, string]): Origin => ({
  storageKey: asStorageKey(storageKey),
  parentSessionId: asSessionId(parentSessionId),
  parentRunId: asRunId(parentRunId),
  toolCallId,
})

const parts = fc.tuple(fc.string(), fc.string(), fc.string(), fc.string())

test('G41: the id of a child is the digest of the JSON of its origin, in hex', () => {
  fc.assert(
    fc.property(parts, (origin) => {
      const json = JSON.stringify(['flexharness-subagent-v1', ...origin])
      const id = childIdOf(originOf(origin))
      expect(id).toBe(`subagent_${createHash('sha256').update(json).digest('hex')}`)
      expect(utf8Length(id)).toBeLessThanOrEqual(MAX_ID_BYTES)
    }),
  )
})

test('G41: different origins make different children', () => {
  fc.assert(
    fc.property(parts, parts, (a, b) => {
      expect(childIdOf(originOf(a)) === childIdOf(originOf(b))).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
})

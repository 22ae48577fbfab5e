import { expect, test } from 'vitest'
import { systemIds } from './system-ids.ts'

test('ids are version 4 UUIDs, each a new one', () => {
  const ids = Array.from({ length: 1000 }, () => systemIds.uuid())
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(new Set(ids).size).toBe(1000)
})

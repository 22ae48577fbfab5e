import { expect, test } from 'vitest'
import { statementNames } from './statement-names.ts'

test('a text keeps its name, and no two texts share one', () => {
  const nameOf = statementNames()
  const names = ['SELECT 1', 'SELECT 2', 'SELECT 1'].map((sql) => nameOf({ sql }))
  expect(names[0]).toBe(names[2])
  expect(new Set(names).size).toBe(2)
})

test('there are only so many names, and none for a text that is very long', () => {
  const nameOf = statementNames()
  const names = Array.from({ length: 10_000 }, (_, i) => nameOf({ sql: `SELECT ${i}` })).filter((name) => name !== '')
  expect(names.length).toBeLessThanOrEqual(500)
  expect(nameOf({ sql: 'SELECT 0' })).toBe(names[0])
  expect(statementNames()({ sql: ' '.repeat(100_000) })).toBe('')
})

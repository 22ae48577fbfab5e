import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFor, scopePatternRule, scopesNamedBy } from './scope-pattern.ts'

test.each([
  ['acme', 'acme', true],
  ['acme', 'acme/1', false],
  ['acme', 'Acme', false],
  ['acme/*', 'acme/1', true],
  ['acme/*', 'acme/', true],
  ['acme/*', 'acme', false],
  ['acme/*', 'acme2/1', false],
  ['*', 'anything', true],
])('A46: the pattern %s and the scope %s: %s', (pattern, scopeId, expected) => {
  expect(isFor(pattern, scopeId)).toBe(expected)
})

test.each(['a*b', '**', '*a', '', 'a\n', 'x'.repeat(513)])('A46: %j is no pattern', (pattern) => {
  expect(scopePatternRule(pattern)).toEqual(expect.any(String))
})

test.each(['default', 'acme/*', '*', 'a=b:c', 'x'.repeat(512)])('A46: %j is a pattern', (pattern) => {
  expect(scopePatternRule(pattern)).toBeUndefined()
})

test('A46: named one by one or by their beginnings, they are the same scopes', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 4 })
  const pattern = fc.tuple(text, fc.constantFrom('', '*')).map(([beginning, end]) => beginning + end)
  fc.assert(
    fc.property(fc.array(pattern), text, (patterns, scopeId) => {
      const { exact, beginnings } = scopesNamedBy(patterns)
      const named = exact.includes(scopeId) || beginnings.some((beginning) => scopeId.startsWith(beginning))
      expect(named).toBe(patterns.some((each) => isFor(each, scopeId)))
    }),
  )
})

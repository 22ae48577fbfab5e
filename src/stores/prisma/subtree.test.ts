import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isWithin, pathBelow } from '../../domain/session/session.ts'
import { pathBehind } from './subtree.ts'

const paths = fc
  .array(fc.nat({ max: 999_999_999 }), { minLength: 1, maxLength: 8 })
  .map((sequences) => sequences.reduce(pathBelow, ''))

test('between a path and the one behind it lie exactly the paths within it', () => {
  fc.assert(
    fc.property(paths, paths, fc.boolean(), (path, tail, related) => {
      const candidate = related ? path + tail : tail
      expect(candidate >= path && candidate < pathBehind(path)).toBe(isWithin(path, candidate))
    }),
  )
  expect(pathBehind('000000000009000000000099')).toBe('000000000009000000000100')
})

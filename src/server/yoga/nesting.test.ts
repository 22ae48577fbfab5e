import { expect, test } from 'vitest'
import { nestingOf } from './nesting.ts'

test.each([
  ['', 0],
  ['{ a }', 1],
  ['{ a } { b }', 1],
  ['{ a(b: [{ c: "{{{{" }]) { d } } # {{{{', 4],
  ['{ a ( "', 2],
  ['}}} {', 0],
  ['[[[[[[[[[[[[', 10],
])('the brackets of %j stand %i deep', (document, depth) => {
  expect(nestingOf(document, 10)).toBe(depth)
})

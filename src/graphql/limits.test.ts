import { parse } from 'graphql'
import { expect, test } from 'vitest'
import { aliasesOf, depthOf, operationOf } from './limits.ts'

test('A12: depth counts the fields of fragments', () => {
  const document = parse('{ a { ...F } } fragment F on X { b { ... on Y { c } } }')
  expect(depthOf(document)).toBe(3)
})

test('A12: aliases count each time that their fragment is spread', () => {
  const document = parse('{ x: a { ...F } a { ...F ...F } } fragment F on X { y: b z: b }')
  expect(aliasesOf(document)).toBe(7)
})

test('A12: the operation that is named is measured, not the first', () => {
  const document = parse('query A { a } query B { a { b { x: c } } }')
  expect(depthOf(document, 'A')).toBe(1)
  expect(depthOf(document, 'B')).toBe(3)
  expect(aliasesOf(document, 'B')).toBe(1)
})

test('A12: without a name there must be one operation alone', () => {
  expect(operationOf(parse('query A { a } query B { b }'))).toBeUndefined()
  expect(depthOf(parse('query A { a } query B { b }'))).toBe(0)
  expect(operationOf(parse('query A { a } fragment F on X { b }'))?.definition.name?.value).toBe('A')
  expect(depthOf(parse('query A { a }'), 'C')).toBe(0)
})

test('A12: fragments in a circle are beyond every limit', () => {
  const document = parse('{ ...F } fragment F on X { b { ...G } } fragment G on X { x: c { ...F } }')
  expect(depthOf(document)).toBe(Infinity)
  expect(aliasesOf(document)).toBe(Infinity)
})

test('A12: fragments that double each time are measured in no time', () => {
  const levels = Array.from(
    { length: 60 },
    (_, i) => `fragment F${i} on X { x: a { ...F${i + 1} } y: a { ...F${i + 1} } }`,
  )
  const document = parse(`{ ...F0 } ${levels.join(' ')} fragment F60 on X { b }`)
  expect(depthOf(document)).toBe(61)
  expect(aliasesOf(document)).toBeGreaterThan(2 ** 60)
})

import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../test/support/any-text.ts'
import { canonicalJson, digest, type Json } from './json.ts'

/** JSON has one zero only. */
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((it) => (it === 0 ? 0 : it))
const { json, object } = fc.letrec<{ json: Json; object: { readonly [key: string]: Json } }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    number,
    anyText,
    fc.array(tie('json')),
    tie('object'),
  ),
  object: fc.dictionary(anyText, tie('json')),
}))

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The same value, with the keys of every object the other way round. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).toReversed().map(([key, inner]) => [key, reversed(inner)]))
}

const isSorted = (keys: readonly string[]): boolean => keys.every((key, i) => i === 0 || (keys[i - 1] ?? '') < key)

test('K5: canonical JSON is JSON of the same value, without white space outside of strings', () => {
  fc.assert(
    fc.property(json, (value) => {
      const text = canonicalJson(value)
      expect(JSON.parse(text)).toEqual(value)
      expect(text.length).toBe(JSON.stringify(value).length)
    }),
  )
})

test('K5: the order of keys changes neither text nor digest', () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value))
      expect(digest(reversed(value))).toBe(digest(value))
    }),
  )
})

test('K5: different values have different texts and digests', () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      const same = isDeepStrictEqual(reviving(a), reviving(b))
      expect(canonicalJson(a) === canonicalJson(b)).toBe(same)
      expect(digest(a) === digest(b)).toBe(same)
    }),
  )
})

test('K5: keys are sorted by code unit', () => {
  fc.assert(
    fc.property(object, (value) => {
      const keys = canonicalKeys(canonicalJson(value))
      expect(keys.toSorted()).toEqual(Object.keys(value).toSorted())
      expect(isSorted(keys)).toBe(true)
    }),
  )
  expect(canonicalJson({ b: 1, a: [null, true, { z: null, y: 'x' }], 10: 0, 9: 0 })).toBe(
    '{"10":0,"9":0,"a":[null,true,{"y":"x","z":null}],"b":1}',
  )
})

test('K5: a digest is the SHA-256 of the canonical text, in hex', () => {
  expect(digest({ b: 1, a: 'ü' })).toBe(createHash('sha256').update('{"a":"ü","b":1}').digest('hex'))
})

/** Objects of one prototype, whatever made them. */
const reviving = (value: Json): unknown => JSON.parse(JSON.stringify(value))

const TOKEN = /([[{])|([\]}])|("(?:[^"\\]|\\.)*")(?=:)|"(?:[^"\\]|\\.)*"/g

/** The keys of the outermost object, in the order of the text. */
function canonicalKeys(text: string): readonly string[] {
  const keys: string[] = []
  let depth = 0
  for (const [token, open, close, name] of text.matchAll(TOKEN)) {
    if (open) depth++
    else if (close) depth--
    else if (name !== undefined && depth === 1) keys.push(String(JSON.parse(token)))
  }
  return keys
}

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../test/support/any-text.ts'
import { canonicalJson, type Json, type JsonObject } from '../kernel/json.ts'
import {
  atMostBytes,
  dataUrlRule,
  fenceReasonRule,
  filenameRule,
  idRule,
  maxStepsRule,
  mediaTypeRule,
  metadataRule,
  modelHintRule,
  promptTextRule,
  type Rule,
  systemRule,
  titleRule,
} from './input-rules.ts'
import {
  MAX_FENCE_REASON_BYTES,
  MAX_FILENAME_BYTES,
  MAX_ID_BYTES,
  MAX_METADATA_BYTES,
  MAX_METADATA_DEPTH,
  MAX_MODEL_HINT_BYTES,
  MAX_SYSTEM_BYTES,
  MAX_TITLE_BYTES,
} from './limits.ts'

type Fields = 'id' | 'title' | 'fenceReason' | 'text' | 'system' | 'modelHint' | 'filename'

const rules: Record<Fields, Rule<string>> = {
  id: idRule,
  title: titleRule,
  fenceReason: fenceReasonRule,
  text: promptTextRule,
  system: systemRule,
  modelHint: modelHintRule,
  filename: filenameRule,
}

const limits: Record<Exclude<Fields, 'text'>, number> = {
  id: MAX_ID_BYTES,
  title: MAX_TITLE_BYTES,
  fenceReason: MAX_FENCE_REASON_BYTES,
  system: MAX_SYSTEM_BYTES,
  modelHint: MAX_MODEL_HINT_BYTES,
  filename: MAX_FILENAME_BYTES,
}

const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).filter((it) => /\p{Cc}/u.test(it))
const whiteSpace = ['\t', '\n', '\r']
const withWhiteSpace: ReadonlySet<Fields> = new Set(['text', 'system'])
const fields = Object.entries(rules).map(([field, rule]) => ({ field: field as Fields, rule }))
const limited = Object.entries(limits).map(([field, max]) => ({ rule: rules[field as Fields], field, max }))

test.each(limited)('S4, Q11: $field has at most $max bytes: so many pass, one more does not', ({ rule, max }) => {
  const [ascii, wide] = ['a'.repeat(max), '€'.repeat(Math.floor(max / 3))]
  const rest = 'a'.repeat(max % 3)
  expect([rule(ascii), rule(wide + rest)]).toEqual([undefined, undefined])
  const message = `must have at most ${max} UTF-8 bytes: it has ${max + 1}`
  expect([rule(`${ascii}a`), rule(`${wide}${rest}a`)]).toEqual([message, message])
})

test.each(fields)('S4, Q11: $field is not empty, unless it is a title', ({ field, rule }) => {
  expect(rule('')).toBe(field === 'title' ? undefined : 'must not be empty')
})

test.each(fields)('S4, Q11: $field is well-formed Unicode', ({ rule }) => {
  for (const text of ['\uD83D', '\uDE00', 'a\uD83D', '\uDE00b', '\uDE00\uD83D']) {
    expect(rule(text)).toBe('must be well-formed Unicode: it has a lone surrogate')
  }
  expect(rule('a😀 \u{10ffff}')).toBeUndefined()
})

test.each(fields)('S4, Q11: $field has no control characters but the white space of a text', ({ field, rule }) => {
  expect(controls.length).toBe(65)
  const passing = controls.filter((control) => rule(`a${control}b`) === undefined)
  expect(passing).toEqual(withWhiteSpace.has(field) ? whiteSpace : [])
  expect(rule('a\0b')).toMatch(/^must not contain control characters/)
  expect(rule('a b\u00A0\u200B\u2028')).toBeUndefined()
})

test('S4, Q11: every rule answers any text, and what passes can be stored as it is', () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom(...fields), (text, { rule }) => {
      const isStorable = text.isWellFormed() && !text.includes('\0')
      expect(rule(text) === undefined && !isStorable).toBe(false)
    }),
  )
})

test('S4: an id of ten thousand bytes is refused because of its length', () => {
  expect(idRule('\0'.repeat(10_000))).toBe('must have at most 512 UTF-8 bytes: it has 10000')
})

test('S4, Q11: bytes are counted, not characters', () => {
  expect([atMostBytes(4)('😀'), atMostBytes(0)('')]).toEqual([undefined, undefined])
  expect(atMostBytes(3)('😀')).toBe('must have at most 3 UTF-8 bytes: it has 4')
})

test.each([
  [1, true],
  [32, true],
  [Number.MAX_SAFE_INTEGER, true],
  [0, false],
  [-1, false],
  [1.5, false],
  [Number.MAX_SAFE_INTEGER + 1, false],
  [Number.NaN, false],
  [Number.POSITIVE_INFINITY, false],
])('Q11: %d steps pass: %s', (steps, passes) => {
  expect(maxStepsRule(steps)).toBe(passes ? undefined : 'must be a positive integer')
})

test.each([
  ['image/png', true],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', true],
  ['image/svg+xml', true],
  ['text/plain;charset=utf-8', true],
  ['text/plain;charset=utf-8;format=flowed', true],
  ['text/plain; charset=utf-8', true],
  ['multipart/mixed; boundary="a b"', true],
  [`text/plain;a=${'b'.repeat(287)}`, true],
  [`text/plain;a=${'b'.repeat(288)}`, false],
  ['text/plain; charset="a\nb"', false],
  ['text/plain; charset="\uD83D"', false],
  [`${'a'.repeat(127)}/${'b'.repeat(127)}`, true],
  [`${'a'.repeat(128)}/b`, false],
  [`a/${'b'.repeat(128)}`, false],
  ['', false],
  ['image', false],
  ['image/', false],
  ['/png', false],
  ['image/png/x', false],
  ['image/png;', false],
  ['image/png;charset', false],
  ['image/png;=a', false],
  ['image/*', false],
  ['image /png', false],
  ['image/png\n', false],
  ['imäge/png', false],
  ['image/png\0', false],
  ['image/\uD83D', false],
])('Q11: the media type %j passes: %s', (mediaType, passes) => {
  expect(mediaTypeRule(mediaType)).toBe(passes ? undefined : 'must be a media type such as image/png')
})

const noDataUrl = 'must be a data: URL such as data:text/plain;base64,aGk='
const noControls = 'must not contain control characters'
const noSurrogates = 'must be well-formed Unicode: it has a lone surrogate'

test.each([
  ['data:,', undefined],
  ['data:text/plain;base64,aGk=', undefined],
  ['data:text/plain,hello, world', undefined],
  ['DATA:image/png;base64,AA==', undefined],
  ['data:text/plain,€', undefined],
  ['', noDataUrl],
  ['data:', noDataUrl],
  ['data:text/plain;base64', noDataUrl],
  [' data:,a', noDataUrl],
  ['https://example.com/a.png', noDataUrl],
  ['file:///etc/passwd', noDataUrl],
  ['javascript:data:,', noDataUrl],
  ['data:text/plain,a\nb', noControls],
  ['data:text/plain,\0', noControls],
  ['data:text/plain,\uD83D', noSurrogates],
])('Q11: the URL %j of an attachment: %s', (url, message) => {
  expect(dataUrlRule(url)).toBe(message)
})

/** `levels` objects or lists inside of each other, the outermost an object. */
const nested = (levels: number, wrap: (inner: Json) => Json): JsonObject => ({
  a: Array.from({ length: levels - 2 }).reduce<Json>(wrap, []),
})

test.each([
  ['objects', (inner: Json): Json => ({ a: inner })],
  ['lists', (inner: Json): Json => [1, inner]],
])('S5: metadata is nested at most 32 levels deep: so many %s pass, one more does not', (_, wrap) => {
  expect(MAX_METADATA_DEPTH).toBe(32)
  expect(metadataRule(nested(32, wrap))).toBeUndefined()
  expect(metadataRule(nested(33, wrap))).toBe('must not be nested deeper than 32 levels')
  expect(metadataRule(nested(10_000, wrap))).toBe('must not be nested deeper than 32 levels')
})

test('S5: metadata has at most 16 KiB of JSON: so many pass, one more does not', () => {
  const frame = canonicalJson({ key: '' }).length
  const fits = { key: 'a'.repeat(MAX_METADATA_BYTES - frame) }
  expect(metadataRule(fits)).toBeUndefined()
  expect(metadataRule({ key: `${fits.key}a` })).toBe('must have at most 16384 UTF-8 bytes: it has 16385')
  expect(metadataRule({ key: '€'.repeat(MAX_METADATA_BYTES / 3) })).toMatch(/^must have at most 16384 UTF-8 bytes/)
})

test('S5: metadata may be empty and hold any JSON', () => {
  expect(metadataRule({})).toBeUndefined()
  expect(metadataRule({ a: null, b: [true, 1.5, 'x', [], {}], '': '\0\uD83D' })).toBeUndefined()
})

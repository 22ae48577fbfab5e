import fc from 'fast-check'
import { anyText } from '../support/any-text.ts'

const TEN_KB = 10_000

const dataUrls = fc.oneof(
  fc.constantFrom(
    'data:,',
    'data:',
    'data:text/plain',
    'data:text/plain;base64,%%%',
    'data:text/plain;base64,aGk',
    'data:;base64,=',
    'data:text/html,<script>alert(1)</script>',
    'DATA:image/png;base64,AAAA',
    'data:image/png;base64;base64,AAAA',
    'data:a/b;charset="x,y",z',
    'data:application/json,{"a":1}',
    'data:text/plain,%00%ff%zz',
    'data:text/plain,a\nb',
    ' data:,a',
    'blob:null/1',
    'file:///etc/hostname',
    'https://127.0.0.1:1/x.png',
    'javascript:alert(1)',
  ),
  fc.base64String({ maxLength: 200 }).map((content) => `data:application/octet-stream;base64,${content}`),
  anyText.map((content) => `data:text/plain,${content}`),
)

/** Texts of every kind that a client could send. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  anyText,
  dataUrls,
  fc.constantFrom(
    '',
    ' ',
    '\0',
    '\u0007',
    '\u001b[31m',
    '\u0085',
    '\ud800',
    'x\udc00y',
    '\u202e',
    '\ufeff',
    '\u2028',
    'x'.repeat(TEN_KB),
    '💥'.repeat(TEN_KB / 4),
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '../../etc/passwd',
    "'; DROP TABLE x; --",
    '%',
    '_',
    '\\',
    '%_\\%',
    '%00',
    '{{7*7}}',
    'null',
    'NaN',
    '-1',
    '1e400',
    '9007199254740993',
    'Session:default/s',
    'Run:%',
    'Session:default/%00',
    'Session:default/s/s',
    'Nothing:default/s',
    'Scope:',
  ),
)

export const hostileInteger: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, 1, -1, 200, 201, 2 ** 31 - 1, -(2 ** 31), 2 ** 15, 2 ** 16 + 1),
  fc.integer(),
)

const hugeNumbers = fc.constantFrom(
  2 ** 31,
  2 ** 32,
  2 ** 53,
  2 ** 63,
  -(2 ** 63),
  1e21,
  1.5,
  1e-7,
  Number.MAX_VALUE,
  5e-324,
)

export const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  hostileInteger,
  hugeNumbers,
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Times as the schema writes them, and what looks like them. */
export const hostileTime: fc.Arbitrary<string | number> = fc.oneof(
  fc.constantFrom(
    '2030-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:60Z',
    '2030-02-30T00:00:00Z',
    '2030-01-01T24:00:00Z',
    '2030-01-01T00:00:00.123456789Z',
    '2030-01-01T00:00:00+23:59',
    '+275760-09-13T00:00:00Z',
    '-000001-01-01T00:00:00Z',
    '2030-01-01',
    '',
    8.64e15,
    8.64e15 + 1,
    -1,
  ),
  fc.date({ noInvalidDate: true }).map((time) => time.toISOString()),
)

const names = fc.constantFrom(
  'a',
  'b',
  '__proto__',
  'constructor',
  'toJSON',
  'then',
  'length',
  '',
  '\0',
  '\ud800',
  'input',
)

/** So deep that only its depth is shown. */
const deep = (levels: number, wrap: (inner: unknown) => object): object => {
  let value = wrap(1)
  for (let level = 1; level < levels; level++) value = wrap(value)
  return Object.defineProperty(value, fc.toStringMethod, { value: () => `${levels} levels` })
}

/** Any JSON: deep, wide, long, and with the keys that mean something to JavaScript. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(fc.tuple(names, fc.oneof(hostileText, hostileNumber, fc.constant(null))), { maxLength: 6 }).map(object),
  fc.constantFrom(1, 31, 32, 33, 200, 600).map((levels) => deep(levels, (inner) => ({ a: inner }))),
  fc.constantFrom(31, 33, 500).map((levels) => ({ a: deep(levels, (inner) => [inner]) })),
  fc.constantFrom({ a: 'x'.repeat(17 * 1024) }, { a: Array.from({ length: 9000 }, () => 0) }, []),
)

/** An object whose keys are its own, `__proto__` too. */
function object(entries: readonly (readonly [string, unknown])[]): unknown {
  return Object.fromEntries(entries)
}

/** What a variable of no type whatever should be. */
export const anything: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  hostileNumber,
  fc.boolean(),
  fc.constant(null),
  hostileJson,
)

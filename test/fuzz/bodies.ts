import fc from 'fast-check'
import { requests } from './documents.ts'
import { hostileText } from './hostile.ts'

const valid = requests.map((request) => Buffer.from(JSON.stringify(request)))

const flipped = fc
  .tuple(valid, fc.array(fc.tuple(fc.nat(2_000), fc.nat(7)), { minLength: 1, maxLength: 4 }))
  .map(([bytes, flips]) => {
    const changed = Buffer.from(bytes)
    for (const [at, bit] of flips) {
      const place = at % changed.length
      changed[place] = (changed[place] ?? 0) ^ (1 << bit)
    }
    return changed
  })

const truncated = fc.tuple(valid, fc.nat(2_000)).map(([bytes, at]) => bytes.subarray(0, at % bytes.length))

const QUERY = '"query":"query ($a: JSON, $first: Int) { scopes(first: $first) { edges { cursor } } }"'

const texts = fc.constantFrom(
  '',
  ' ',
  'null',
  '7',
  '"x"',
  '[]',
  '[{}]',
  '{}',
  '{"query":null}',
  '{"query":{}}',
  '{"query":"{ __typename }","query":7}',
  '{"query":7,"query":"{ __typename }"}',
  '{"query":"{ __typename }","__proto__":{"query":"x"}}',
  '{"query":"{ __typename }","variables":[]}',
  '{"query":"{ __typename }","variables":"{}"}',
  '{"query":"{ __typename }","variables":{"__proto__":{"a":1}}}',
  '{"query":"{ __typename }","operationName":[]}',
  '{"query":"{ __typename }","extensions":7}',
  '{"query":"{ __typename }","extensions":{"persistedQuery":{"version":1,"sha256Hash":"x"}}}',
  '{"id":"x"}',
  '{"documentId":"x"}',
  '{"query":"{ __typename }"',
  '{"query":"{ __typename }"}}',
  "{'query':'x'}",
  '\ufeff{"query":"{ __typename }"}',
  'query={__typename}',
  '--x\r\ncontent-disposition: form-data; name="query"\r\n\r\n{ __typename }\r\n--x--',
)

const numbers = fc.constantFrom(
  '1e999999',
  '-0',
  '9'.repeat(5_000),
  '1.5',
  '0.1e-999',
  '1e400',
  '-1e400',
  '9007199254740993',
)

const shaped = fc.oneof(
  texts,
  numbers.map((number) => `{${QUERY},"variables":{"first":${number}}}`),
  numbers.map((number) => `{${QUERY},"variables":{"a":{"b":${number}}}}`),
  numbers.map((number) => `{${QUERY},"variables":${number}}`),
  fc
    .constantFrom(10, 1_000, 100_000)
    .map((depth) => `{${QUERY},"variables":{"a":${'['.repeat(depth)}${']'.repeat(depth)}}}`),
  fc.constantFrom(10, 1_000, 100_000).map((depth) => '['.repeat(depth)),
  fc.constantFrom(10, 1_000).map((count) => `{${Array.from({ length: count }, () => QUERY).join(',')}}`),
)

/** Bodies that are no JSON, nearly JSON, or JSON that nobody would write. */
export const bodies: fc.Arbitrary<Buffer> = fc.oneof(
  valid,
  flipped,
  truncated,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  shaped.map((text) => Buffer.from(text)),
  shaped.map((text) => Buffer.from(text, 'utf16le')),
  hostileText.map((text) => Buffer.from(text)),
)

export const contentTypes: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant('application/json') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      'application/graphql+json',
      'application/json; charset=utf-8',
      'application/json; charset=utf-16le',
      'application/json;;;',
      'application/json, text/plain',
      'application/graphql',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'multipart/form-data',
      'text/plain',
      'text/plain; application/json',
      'APPLICATION/JSON',
      'x'.repeat(4_000),
      '\t',
    ),
  },
)

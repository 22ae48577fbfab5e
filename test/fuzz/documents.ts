import fc from 'fast-check'
import { Lexer, Source, TokenKind } from 'graphql'
import { exampleOperations } from '../graphql/example-operations.ts'
import { anything, hostileText } from './hostile.ts'

/** A request as JSON would have it, whether or not it makes sense. */
export interface Request {
  readonly query: string
  readonly variables?: unknown
  readonly operationName?: unknown
}

interface Edit {
  readonly kind: 'delete' | 'double' | 'swap' | 'replace' | 'insert' | 'cut'
  readonly at: number
  readonly other: number
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('delete', 'double', 'swap', 'replace', 'insert', 'cut'),
    at: fc.nat(500),
    other: fc.nat(500),
  }),
  { minLength: 1, maxLength: 4 },
)

function tokensOf(source: string): readonly string[] {
  const lexer = new Lexer(new Source(source))
  const tokens: string[] = []
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens.push(source.slice(token.start, token.end))
  }
  return tokens
}

const examples = exampleOperations.map((example) => ({ ...example, tokens: tokensOf(example.source) }))
const words = [
  ...new Set(examples.flatMap(({ tokens }) => tokens)),
  '@skip(if: true)',
  '@include(if: $a)',
  '@x',
  '"',
  '"""',
  '#',
]

function edited(tokens: readonly string[], { kind, at, other }: Edit): readonly string[] {
  const place = at % Math.max(1, tokens.length)
  const second = other % Math.max(1, tokens.length)
  const word = words[other % words.length] ?? ''
  switch (kind) {
    case 'delete':
      return tokens.toSpliced(place, 1)
    case 'double':
      return tokens.toSpliced(place, 0, ...tokens.slice(place, place + 1 + (other % 20)))
    case 'swap':
      return tokens.with(place, tokens[second] ?? '').with(second, tokens[place] ?? '')
    case 'replace':
      return tokens.toSpliced(place, 1, word)
    case 'insert':
      return tokens.toSpliced(place, 0, word)
    case 'cut':
      return tokens.slice(0, place)
  }
}

/** An example operation with some of its tokens changed. */
const editedExamples: fc.Arbitrary<Request> = fc
  .tuple(fc.constantFrom(...examples), edits)
  .map(([example, changes]) => ({
    query: changes
      .reduce((tokens, change) => (tokens.length > 0 ? edited(tokens, change) : tokens), example.tokens)
      .join(' '),
    variables: example.variables,
  }))

const sizes = fc.constantFrom(1, 2, 29, 30, 31, 60, 61, 100, 1000, 3000)

const nested = (depth: number): string =>
  `{ session(scopeId: "default", sessionId: "s") ${'{ parent '.repeat(depth)}{ id }${' }'.repeat(depth)} }`

const aliases = (count: number): string =>
  `{ ${Array.from({ length: count }, (_, index) => `a${index}: __typename`).join(' ')} }`

/** Fragments that spread one another: as a chain, or as a circle. */
const fragments = (count: number, last: string): string => {
  const chain = Array.from({ length: count }, (_, index) => {
    const next = index + 1 < count ? `...f${index + 1} ...f${index + 1}` : last
    return `fragment f${index} on Query { ${next} }`
  })
  return ['query { ...f0 }', ...chain].join('\n')
}

const directives = (count: number, directive: string): string => `query { __typename ${directive.repeat(count)} }`

const introspection = (depth: number): string =>
  `{ __schema { types ${'{ fields { type '.repeat(depth)}{ name }${' } }'.repeat(depth)} } }`

const creating = (metadata: string): string =>
  `mutation { createSession(input: { scopeId: "default", metadata: ${metadata} }) { __typename } }`

const shapes: fc.Arbitrary<string> = fc.oneof(
  sizes.map(nested),
  sizes.map(aliases),
  sizes.map((count) => fragments(count, '__typename')),
  sizes.map((count) => fragments(count, '...f0')),
  fc
    .tuple(sizes, fc.constantFrom(' @skip(if: false)', ' @include(if: true)', ' @unknown', ' @deprecated'))
    .map(([count, it]) => directives(count, it)),
  sizes.map(introspection),
  sizes.map((count) => `{ scope(id: ${'['.repeat(count)}"a"${']'.repeat(count)}) { id } }`),
  sizes.map(
    (count) =>
      creating(`${'{a: '.repeat(count)}1${'}'.repeat(count)}`),
  ),
  fc
    .tuple(sizes, fc.constantFrom('session', 'scope', '__typename'))
    .map(([count, field]) => `{ ${`${field} `.repeat(count)} }`),
  fc.constantFrom(
    '',
    '#',
    '{',
    '{}',
    '}',
    '{ __typename',
    '\ufeff{ __typename }',
    '{ __typename } { __typename }',
    'query a { __typename } query a { __typename }',
    'query a { __typename } mutation b { __typename }',
    'fragment f on Query { __typename }',
    'type Query { a: Int }',
    'extend schema @a',
    'subscription { __typename }',
    'subscription { events(scopeId: "default") { __typename } liveRun(scopeId: "default", sessionId: "s") { runId } }',
    'query ($a: Nothing) { __typename }',
    'query ($a: Session) { __typename }',
    'query ($a: Int = "x") { scopes(first: $a) { edges { cursor } } }',
    'query ($a: Int, $a: Int) { scopes(first: $a) { edges { cursor } } }',
    'query { scopes(first: $b) { edges { cursor } } }',
    '{ scopes(first: 99999999999999999999) { edges { cursor } } }',
    '{ scopes(first: 1e999) { edges { cursor } } }',
    '{ scopes(first: 1, first: 2) { edges { cursor } } }',
    '{ scope(id: "\\uD800") { id } }',
    '{ scope(id: "\\u{110000}") { id } }',
    '{ scope(id: """\n\\""" """) { id } }',
    '{ node(id: "Session:default/s") { ... on Nothing { id } ... on Query { harness { version } } } }',
    '{ __type(name: "__proto__") { name fields { name } } }',
    '{ __proto__ constructor toString }',
    '{ scope(id: "default") { ... @include(if: $x) { id } } }',
    creating('{ a: 1e400, __proto__: { b: 1 } }'),
    creating('{ a: 123456789012345678901234567890 }'),
  ),
  fc.string({
    unit: fc.constantFrom(
      '{',
      '}',
      '(',
      ')',
      '...',
      ' on ',
      '$',
      '@',
      '"',
      '\n',
      'a',
      ':',
      '!',
      '[',
      ']',
      '&',
      '|',
      '=',
    ),
    maxLength: 60,
  }),
  hostileText,
)

const operationNames = fc.oneof(
  fc.constantFrom(undefined, null, '', 'Nothing', '__proto__', 7, {}),
  fc.constantFrom(...examples.map(({ name }) => name)),
)

/** Documents of every kind, with variables of every kind. */
export const requests: fc.Arbitrary<Request> = fc.oneof(
  { weight: 3, arbitrary: editedExamples },
  { weight: 3, arbitrary: shapes.map((query): Request => ({ query })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(fc.constantFrom(...examples.map(({ source }) => source)), shapes), anything, operationNames)
      .map(([query, variables, operationName]): Request => ({ query, variables, operationName })),
  },
)

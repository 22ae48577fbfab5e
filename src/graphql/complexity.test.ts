import { buildSchema, getIntrospectionQuery, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { complexityOf } from './complexity.ts'
import { defaultOperationLimits } from './limits.ts'

const schema = buildSchema(`
  interface Node { id: ID! }
  type PageInfo { hasNextPage: Boolean! }
  type Edge { node: Session! }
  type Connection { edges: [Edge!]! pageInfo: PageInfo! totalCount: Int! }
  type Session implements Node {
    id: ID!
    tags: [String!]!
    ancestors: [Session!]!
    children(first: Int = 20, after: String): Connection!
    messages(first: Int, last: Int): Connection!
  }
  type Query { session: Session nodes(ids: [ID!]!): [Node]! }
`)

const costOf = (text: string, variables: Record<string, unknown> = {}) =>
  complexityOf({ schema, document: parse(text), variables })

describe('what stands below a list counts once for each row', () => {
  test.each([
    ['a leaf', '{ session { id } }', 2],
    ['a list of leaves', '{ session { tags } }', 2],
    ['a list without a size', '{ session { ancestors { id } } }', 1 + 1 + 10],
    ['a page', '{ session { children(first: 7) { totalCount edges { node { id } } } } }', 1 + 1 + 1 + 1 + 7 * 2],
    ['a page without a size', '{ session { children { edges { node { id } } } } }', 1 + 1 + 1 + 20 * 2],
    ['a page from the end', '{ session { messages(last: 3) { edges { node { id } } } } }', 1 + 1 + 1 + 3 * 2],
    ['an empty page', '{ session { children(first: 0) { edges { node { id } } } } }', 1 + 1 + 1 + 2],
    ['a list of ids', '{ nodes(ids: ["a", "b", "c"]) { id } }', 1 + 3],
    ['fields of another type', '{ nodes(ids: ["a"]) { ... on Session { ancestors { id } } } }', 1 + 1 + 10],
    ['__typename', '{ __typename session { __typename } }', 3],
  ])('A12: %s', (_what, text, cost) => {
    expect(costOf(text)).toBe(cost)
  })
})

describe('variables count as they are sent', () => {
  const text =
    'query ($n: Int = 5, $ids: [ID!]! = []) { nodes(ids: $ids) { id } session { children(first: $n) { edges { ' +
    'node { id } } } } }'

  test('A12: given', () => {
    expect(costOf(text, { n: 100, ids: ['a', 'b'] })).toBe(1 + 2 + 3 + 200)
  })

  test('A12: by default', () => {
    expect(costOf(text)).toBe(1 + 1 + 3 + 10)
  })

  test('A12: of a wrong type, which execution refuses', () => {
    expect(costOf(text, { n: 'many', ids: 'a' })).toBe(1 + 10 + 3 + 40)
  })
})

test('A12: a fragment counts with the size of the connection that it is spread in', () => {
  const text = `{ session { a: children(first: 2) { ...C } b: children(first: 50) { ...C } } }
    fragment C on Connection { edges { node { id } } }`
  expect(costOf(text)).toBe(1 + (2 + 2 * 2) + (2 + 50 * 2))
})

test('A12: a recursive tree is beyond the limit', () => {
  const level = (inner: string) => `children(first: 200) { edges { node { id ${inner} } } }`
  expect(costOf(`{ session { ${level(level(level('')))} } }`)).toBeGreaterThan(defaultOperationLimits.maxComplexity)
})

test('A12: fragments that double each time are estimated in no time', () => {
  const levels = Array.from(
    { length: 60 },
    (_, i) => `fragment F${i} on Session { x: ancestors { ...F${i + 1} } y: ancestors { ...F${i + 1} } }`,
  )
  expect(costOf(`{ session { ...F0 } } ${levels.join(' ')} fragment F60 on Session { id }`)).toBeGreaterThan(1e60)
})

test('A12: fragments in a circle are beyond every limit', () => {
  expect(costOf('{ session { ...F } } fragment F on Session { ancestors { ...F } }')).toBe(Infinity)
})

test('A12: what the schema does not know counts as well', () => {
  expect(costOf('{ nowhere { a b } session { ...Missing } }')).toBe(1 + 2 + 1)
})

test('A12: introspection passes', () => {
  expect(costOf(getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true }))).toBeLessThan(
    defaultOperationLimits.maxComplexity,
  )
})

test('A12: nothing to execute costs nothing', () => {
  expect(costOf('query A { session { id } } query B { session { id } }')).toBe(0)
  expect(costOf('mutation { session { id } }')).toBe(0)
})

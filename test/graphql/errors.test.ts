import { buildSchema, type DocumentNode, execute, GraphQLError, type GraphQLSchema, parse, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { createContext } from '../../src/graphql/context.ts'
import { errorMask } from '../../src/graphql/errors.ts'
import { schema } from '../../src/graphql/schema.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type Fault, faultyStores } from '../support/faulty-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { tester, World } from '../support/world.ts'
import { Api, at } from './api.ts'

interface Request {
  readonly schema?: GraphQLSchema
  readonly variables?: Record<string, unknown>
  readonly operationName?: string
}

/** The masked errors of a request, whatever is wrong with it. */
async function errorsOf(source: string, { schema: asked = schema, variables = {}, operationName }: Request = {}) {
  const { harness } = await World.started()
  const mask = errorMask({ log: { error: () => undefined }, ids: { uuid: () => 'reference' } })
  let document: DocumentNode
  try {
    document = parse(source)
  } catch (error) {
    return [mask(error)]
  }
  const problems = validate(asked, document)
  if (problems.length > 0) return problems.map(mask)
  const contextValue = createContext(harness, tester)
  const name = operationName === undefined ? {} : { operationName }
  const { errors = [] } = await execute({ schema: asked, document, variableValues: variables, contextValue, ...name })
  return errors.map(mask)
}

describe('what is wrong with a request has a code', () => {
  const sessions = `query ($since: DateTime, $first: Int) {
    scope(id: "a") { sessions(first: $first, filter: { updatedSince: $since }) { totalCount } }
  }`

  test.each([
    {
      what: 'malformed',
      source: '{ harness {',
      request: {},
      code: 'GRAPHQL_PARSE_FAILED',
    },
    {
      what: 'an unknown field',
      source: '{ nothing }',
      request: {},
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    {
      what: 'an unknown input field',
      source: 'mutation { createSession(input: { scopeId: "a", colour: "blue" }) { __typename } }',
      request: {},
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    {
      what: 'a literal of a wrong type',
      source: '{ scope(id: "a") { sessions(first: "x") { totalCount } } }',
      request: {},
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    {
      what: 'a literal that is no date',
      source: '{ scope(id: "a") { sessions(filter: { updatedSince: "yesterday" }) { totalCount } } }',
      request: {},
      code: 'GRAPHQL_VALIDATION_FAILED',
    },
    {
      what: 'a variable of a wrong type',
      source: sessions,
      request: { variables: { first: 'x' } },
      code: 'BAD_USER_INPUT',
    },
    {
      what: 'a variable that is no date',
      source: sessions,
      request: { variables: { since: 'yesterday' } },
      code: 'BAD_USER_INPUT',
    },
    {
      what: 'a variable that is missing',
      source: 'query ($id: ID!) { scope(id: $id) { id } }',
      request: {},
      code: 'BAD_USER_INPUT',
    },
    {
      what: 'a number beyond all bounds',
      source: sessions,
      request: { variables: { first: 1e300 } },
      code: 'BAD_USER_INPUT',
    },
    {
      what: 'an operation that is not there',
      source: 'query A { __typename }',
      request: { operationName: 'B' },
      code: 'OPERATION_RESOLUTION_FAILURE',
    },
    {
      what: 'two operations and no name',
      source: 'query A { __typename } query B { __typename }',
      request: {},
      code: 'OPERATION_RESOLUTION_FAILURE',
    },
  ])('A6: $what', async ({ source, request, code }) => {
    const errors = await errorsOf(source, request)
    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error.extensions['code']).toBe(code)
  })

  test('A6: an argument that turns out to be null', async () => {
    const strict = buildSchema('type Query { f(x: Int! = 1): Int }')
    const [error] = await errorsOf('query ($x: Int = 1) { f(x: $x) }', { schema: strict, variables: { x: null } })
    expect(error?.extensions['code']).toBe('BAD_USER_INPUT')
  })

  test('A6: an input with an unknown field in a variable', async () => {
    const source = 'mutation ($input: CreateSessionInput!) { createSession(input: $input) { __typename } }'
    const [error] = await errorsOf(source, { variables: { input: { scopeId: 'a', colour: 'blue' } } })
    expect(error?.extensions['code']).toBe('BAD_USER_INPUT')
    expect(error?.message).toContain('colour')
  })
})

describe('a refusal outside of mutations is an error with its code', () => {
  test('A6: every argument that breaks a rule is reported', async () => {
    const api = new Api((await World.started()).harness)
    const { errors } = await api.answer('{ session(scopeId: "", sessionId: "a\\u0000") { id } }')
    expect(errors[0]).toMatchObject({
      path: ['session'],
      extensions: {
        code: 'VALIDATION_FAILED',
        issues: [{ path: ['scopeId'] }, { path: ['sessionId'] }],
      },
    })
  })

  test.each([
    ['a page that is too large', 'scope(id: "a") { sessions(first: 201) { totalCount } }', ['first']],
    ['a negative page', 'scope(id: "a") { sessions(first: -1) { totalCount } }', ['first']],
    ['a foreign cursor', 'scope(id: "a") { sessions(after: "x") { totalCount } }', ['after']],
    ['an empty list of types', 'scope(id: "a") { events(types: []) { edges { cursor } } }', ['types']],
    ['too many ids', `nodes(ids: [${'"a" '.repeat(201)}]) { id }`, ['ids']],
    ['a scope id of 10 kB', `scope(id: "${'x'.repeat(10_000)}") { id }`, ['id']],
    [
      'a title filter with a control character',
      'scope(id: "a") { sessions(filter: { titleContains: "\\u0007" }) { totalCount } }',
      ['filter', 'titleContains'],
    ],
  ])('A6: %s', async (_what, source, path) => {
    const api = new Api((await World.started()).harness)
    const { errors } = await api.answer(`{ ${source} }`)
    expect(errors[0]?.extensions).toMatchObject({ code: 'VALIDATION_FAILED', issues: [{ path }] })
    expect(api.faults).toEqual([])
  })
})

describe('a fault is masked, and its reference is in the log', () => {
  const broken = new Error('connect ECONNREFUSED /var/run/secret.sock')

  test('A6: in a query', async () => {
    const stores = memoryStores({ clock: virtualClock() })
    const failing: Stores = { ...stores, scopes: { ...stores.scopes, findNamed: () => Promise.reject(broken) } }
    const api = new Api((await World.started({ stores: failing })).harness)
    const { data, errors } = await api.answer('{ scope(id: "a") { id } }')
    expect(data).toEqual({ scope: null })
    expect(errors).toEqual([
      expect.objectContaining({
        path: ['scope'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', reference: 'reference-1' },
      }),
    ])
    expect(errors[0]?.message).toContain('reference-1')
    expect(JSON.stringify(errors)).not.toContain('secret')
    expect(api.faults).toEqual([{ reference: 'reference-1', path: 'scope', err: broken }])
  })

  test('A6: even when it carries a code', () => {
    const mask = errorMask({ log: { error: () => undefined }, ids: { uuid: () => 'r' } })
    const theirs = new GraphQLError('raw words', { extensions: { code: 'THEIRS' } })
    const located = new GraphQLError('raw words', { path: ['scope'], originalError: theirs })
    expect(mask(located).extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', reference: 'r' })
    expect(mask(new Error('raw words')).message).not.toContain('raw')
    expect(mask('raw words').message).not.toContain('raw')
  })

  test('A6: masking again changes nothing, and what the server says with a code stays', () => {
    const mask = errorMask({ log: { error: () => undefined }, ids: { uuid: () => 'r' } })
    const once = mask(new GraphQLError('x', { path: ['a'], originalError: new Error('x') }))
    expect(mask(once)).toBe(once)
    const server = new GraphQLError('Too deep.', { extensions: { code: 'TOO_DEEP', http: { status: 400 } } })
    expect(mask(server)).toBe(server)
  })

  test('A6: what was put to an error of a request stays with it', () => {
    const mask = errorMask({ log: { error: () => undefined }, ids: { uuid: () => 'r' } })
    const [error] = validate(schema, parse('{ nothing }'))
    Object.assign(error?.extensions ?? {}, { http: { status: 400 } })
    expect(mask(error).extensions).toEqual({ http: { status: 400 }, code: 'GRAPHQL_VALIDATION_FAILED' })
  })
})

describe('what goes wrong in the store is typed as far as it is expected', () => {
  const create = 'mutation { createSession(input: { scopeId: "default" }) { __typename ... on Error { code } } }'

  async function failingWith(fault: Fault) {
    const world = await World.started({ stores: faultyStores(memoryStores({ clock: virtualClock() }), () => fault) })
    return { world, api: new Api(world.harness) }
  }

  test('A5: StoreConflictError', async () => {
    const { world, api } = await failingWith({ failure: 'conflict', side: 'before' })
    const answer = api.data(create)
    await world.clock.advance(60_000)
    expect(at(await answer, 'createSession')).toEqual({ __typename: 'StoreConflictError', code: 'STORE_CONFLICT' })
  })

  test('A5: ScopeFencedError', async () => {
    const { world, api } = await failingWith({ failure: 'fatal', side: 'before' })
    const first = api.answer(create)
    await world.clock.advance(60_000)
    expect((await first).errors[0]?.extensions).toMatchObject({ code: 'INTERNAL_SERVER_ERROR' })
    expect(at(await api.data(create), 'createSession')).toEqual({
      __typename: 'ScopeFencedError',
      code: 'SCOPE_FENCED',
    })
  })
})

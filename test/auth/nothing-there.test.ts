import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type OperationName, roleTable } from '../../src/graphql/role-table.ts'
import { at, type Data } from '../graphql/api.ts'
import { send } from '../server/graphql-client.ts'
import type { TestServer } from '../server/test-server.ts'
import { byHttp, type Question, transports } from './asking.ts'
import { guardedServer, planted, tokens } from './guarded-server.ts'
import { type About, operations } from './operations.ts'

let started: TestServer

beforeAll(async () => {
  started = await guardedServer()
  await planted(started, 'own')
  await planted(started, 'theirs')
})

afterAll(() => started[Symbol.asyncDispose]())

async function dataOf(token: string, question: Question): Promise<Data> {
  const { text } = await byHttp(started.url, token, question)
  return (JSON.parse(text) as { data: Data }).data
}

/** The same text, whatever the thing is called that was asked for. */
const withoutNames = (text: string, names: readonly string[]): string =>
  names.toSorted((one, other) => other.length - one.length).reduce((rest, name) => rest.replaceAll(name, '…'), text)

/** The whole answer of HTTP, as it came, but for its time. */
async function whole(token: string, question: Question, names: readonly string[]): Promise<unknown> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const answer = await send(started.url, { method: 'POST', headers, body: JSON.stringify(question) })
  const { date: _, 'content-length': _length, ...others } = answer.headers
  return { status: answer.status, headers: others, body: withoutNames(answer.body, names) }
}

const names = Object.keys(roleTable) as OperationName[]
const onSessions = names.filter(
  (name) => 'session' in roleTable[name] || 'subject' in roleTable[name] || /session|node/i.test(name),
)
const onScopes = ['Query.scope', 'Query.node', 'Query.nodes', 'Query.session', 'Mutation.createSession'] as const

const hidden: About = { scope: 'theirs' }
const unused: About = { scope: 'nobody' }
const refused: About = { scope: 'own/refused' }
const missing: About = { scope: 'own', session: 'missing' }
const absentInHidden: About = { scope: 'theirs', session: 'missing' }

/** As they stand in a message, which is JSON in JSON. */
const namesOf = ({ scope, session = 's' }: About) => [scope, JSON.stringify(JSON.stringify(session)).slice(1, -1)]

describe('A42: a scope that is not seen, one without anything in it, and one that is refused are answered alike', () => {
  test.each([...onScopes, ...onSessions])('by %s', async (name) => {
    for (const role of ['viewer', 'admin'] as const) {
      const answers = [hidden, unused, refused].map((about) =>
        whole(tokens[role], operations[name](about), namesOf(about)),
      )
      const [first, ...others] = await Promise.all(answers)
      for (const other of others) expect(other).toEqual(first)
    }
  })

  test.each(transports)('by every operation over %s', async (transport, ask) => {
    const carried = transport === 'HTTP' ? onSessions.filter((name) => !name.startsWith('Subscription.')) : onSessions
    for (const name of carried) {
      const answers = [hidden, unused, refused, absentInHidden].map(async (about) => {
        const { text } = await ask(started.url, tokens.admin, operations[name](about))
        return withoutNames(text, namesOf(about))
      })
      expect([name, ...new Set(await Promise.all(answers))]).toEqual([name, await answers[0]])
    }
  })
})

/** They answer something else where the session does not exist. */
const answeringElse: ReadonlySet<OperationName> = new Set([
  'Mutation.createSession',
  'Mutation.deleteSessionGenerationCohort',
  'Query.nodes',
])

test.each(onSessions.filter((name) => !answeringElse.has(name)))(
  'A42: a session of a scope that is not seen is as absent as one that does not exist: %s',
  async (name) => {
    for (const [transport, ask] of transports) {
      if (transport === 'HTTP' && name.startsWith('Subscription.')) continue
      const [one, other] = await Promise.all(
        [hidden, missing].map(async (about) => {
          const { text } = await ask(started.url, tokens.admin, operations[name](about))
          return withoutNames(text, namesOf(about))
        }),
      )
      expect(one).toBe(other)
    }
  },
)

/** What there is in the scope that is not seen, by its real names. */
async function inTheirs() {
  const { scope } = await dataOf(tokens.root, {
    query: `{ scope(id: "theirs") {
      sessions(first: 1) { edges { cursor } }
      events(first: 1) { edges { cursor } }
      session(sessionId: "s") {
        generation { generationId }
        runs { edges { cursor node { id runId queueId } } }
        messages { edges { cursor node { id messageId } } }
        queue { id queueId }
        children { edges { cursor node { id } } }
      }
    } }`,
  })
  const text = (...path: (string | number)[]) => String(at(scope, ...path))
  return {
    ids: ['runs', 'messages', 'children']
      .map((list) => text('session', list, 'edges', 0, 'node', 'id'))
      .concat(text('session', 'queue', 0, 'id'), 'Session:theirs/s', 'Scope:theirs'),
    cursors: [
      text('sessions', 'edges', 0, 'cursor'),
      text('events', 'edges', 0, 'cursor'),
      ...['runs', 'messages', 'children'].map((list) => text('session', list, 'edges', 0, 'cursor')),
    ],
    runId: text('session', 'runs', 'edges', 0, 'node', 'runId'),
    queueId: text('session', 'queue', 0, 'queueId'),
    generationId: text('session', 'generation', 'generationId'),
  }
}

describe('A42: the real names of what is not seen are worth no more than invented ones', () => {
  test('global ids of every type, under their own scope and under the own one', async () => {
    const { ids } = await inTheirs()
    expect(await dataOf(tokens.root, { query: nodes, variables: { ids } })).toMatchObject({
      nodes: ids.map((id) => ({ id })),
    })
    const moved = ids.map((id) => id.replace(':theirs/', ':own/')).filter((id) => /Run|Message|Queue/.test(id))
    for (const id of [...ids, ...moved]) {
      const invented = id.replace(/\w{8}/, 'deadbeef')
      const answers = [id, invented].map((each) => whole(tokens.admin, { query: node, variables: { id: each } }, [each]))
      const [real, other] = await Promise.all(answers)
      expect(real).toEqual(other)
      expect(real).toMatchObject({ body: '{"data":{"node":null}}' })
    }
    const all = await whole(tokens.admin, { query: nodes, variables: { ids: [...ids, ...moved] } }, [])
    expect(all).toMatchObject({ body: JSON.stringify({ data: { nodes: [...ids, ...moved].map(() => null) } }) })
  })

  test('cursors', async () => {
    const { cursors } = await inTheirs()
    const lists = [
      '{ scopes(after: $after) { edges { cursor } } }',
      '{ scope(id: "own") { sessions(after: $after) { edges { cursor } } } }',
      '{ scope(id: "own") { events(after: $after) { edges { cursor } } } }',
      ...['children', 'descendants', 'runs', 'messages'].map(
        (list) => `{ session(scopeId: "own", sessionId: "s") { ${list}(after: $after) { edges { cursor } } } }`,
      ),
    ]
    for (const list of lists) {
      const answers = [...cursors, 'invented', scopeCursor('theirs'), scopeCursor('nobody')].map((after) =>
        whole(tokens.admin, { query: `query ($after: String) ${list}`, variables: { after } }, [after]),
      )
      const [first, ...others] = await Promise.all(answers)
      expect(first).toMatchObject({ body: expect.stringContaining('VALIDATION_FAILED') as string })
      for (const other of others) expect(other).toEqual(first)
    }
  })

  test('ids of runs, prompts and generations as arguments', async () => {
    const { runId, queueId, generationId } = await inTheirs()
    const questions: readonly ((name: string) => Question)[] = [
      (name) => ({
        query: `{ session(scopeId: "own", sessionId: "s") { messages(runId: "${name}") { totalCount } } }`,
      }),
      (name) => ({ query: mutation(`abortRun(input: { scopeId: "own", sessionId: "s", runId: "${name}" })`) }),
      (name) => ({ query: mutation(`cancelPrompt(input: { scopeId: "own", sessionId: "s", queueId: "${name}" })`) }),
      (name) => ({ query: mutation(`createSession(input: { scopeId: "own", generationId: "${name}" })`) }),
    ]
    for (const question of questions) {
      for (const real of [runId, queueId, generationId]) {
        const answers = [real, 'invented'].map((name) => whole(tokens.admin, question(name), [name]))
        const [one, other] = await Promise.all(answers)
        expect(one).toEqual(other)
      }
    }
  })

  test('an id that is taken elsewhere is free here', async () => {
    const taken = mutation('createSession(input: { scopeId: "own/new", sessionId: "s", clientRequestId: "s" })')
    const { createSession } = await dataOf(tokens.admin, { query: taken })
    expect(createSession).toEqual({ __typename: 'CreateSessionPayload' })
  })
})

const node = 'query ($id: ID!) { node(id: $id) { __typename id } }'
const nodes = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }'
const mutation = (call: string): string => `mutation { ${call} { __typename ... on Error { code message } } }`
const scopeCursor = (scopeId: string): string => Buffer.from(JSON.stringify(['scopes', scopeId])).toString('base64url')

test('A42: from what is seen no path leads out of the scope', async () => {
  const { text } = await byHttp(started.url, tokens.admin, {
    query: `{ scopes(first: 2) { edges { node { ...Everything } } } }
      fragment Everything on Scope {
        scopeId
        events(first: 9) { edges { node { scopeId
          ... on SessionCreatedEvent { session { ...Place } }
          ... on PromptQueuedEvent { entry { session { ...Place } run { session { ...Place } } } }
          ... on MessageCreatedEvent { message { session { ...Place } run { session { ...Place } } } }
        } } }
        sessions(first: 12) { edges { node { ...Place
          root { ...Place } parent { ...Place } ancestors { ...Place }
          children(first: 3) { edges { node { ...Place parent { ...Place } } } } descendants(first: 3) { edges { node { ...Place } } }
          queue { session { ...Place } run { session { ...Place } messages(first: 2) { edges { node { session { ...Place } } } } } }
          lastRun { entry { session { ...Place } } }
        } } }
      }
      fragment Place on Session { scopeId }`,
  })
  const scopes = [...text.matchAll(/"scopeId":"([^"]*)"/g)].map(([, scopeId]) => scopeId)
  expect(scopes.length).toBeGreaterThan(25)
  expect(new Set(scopes.map((scopeId) => scopeId?.split('/')[0]))).toEqual(new Set(['own']))
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { suffices } from '../../src/domain/access/role.ts'
import { leastRoleFor, type OperationName, roleTable } from '../../src/graphql/role-table.ts'
import type { TestServer } from '../server/test-server.ts'
import { inAWord, transports } from './asking.ts'
import { guardedServer, planted, tokens } from './guarded-server.ts'
import { operations } from './operations.ts'

let started: TestServer

beforeAll(async () => {
  started = await guardedServer()
  await planted(started, 'own')
  await planted(started, 'theirs')
})

afterAll(() => started[Symbol.asyncDispose]())

const names = Object.keys(roleTable) as OperationName[]
const aboutNoScope: ReadonlySet<OperationName> = new Set(['Query.harness', 'Query.scopes'])

/** They ask for a session, a prompt, a request, a grant, an execution that do not exist. */
const aboutNothing: ReadonlySet<OperationName> = new Set([
  'Mutation.cancelPrompt',
  'Mutation.deleteSession',
  'Mutation.reconcileToolExecution',
  'Mutation.respondToPermission',
  'Mutation.revokeGrant',
])

/** Others need the session that there is. */
const about = (name: OperationName, scope: string) =>
  name === 'Mutation.deleteSession' ? { scope, session: 'none' } : { scope }

/** What an operation answers to those who may. */
const success = (name: OperationName): string => (aboutNothing.has(name) ? 'NOT_FOUND' : 'ok')

function inOwnScope(name: OperationName, role: 'VIEWER' | 'OPERATOR' | 'ADMIN'): string {
  return suffices(role, leastRoleFor(name)) ? success(name) : 'FORBIDDEN'
}

function inForeignScope(name: OperationName): string {
  if (aboutNoScope.has(name)) return 'ok'
  return name.startsWith('Query.') ? 'null' : 'NOT_FOUND'
}

describe.each(transports)('over %s', (transport, ask) => {
  const closed = transport === 'WebSocket' ? '4403' : '401'

  // A subscription is not answered by a single result.
  const carried = transport === 'HTTP' ? names.filter((name) => !name.startsWith('Subscription.')) : names

  test.each(carried)('V40, A41, A42: %s is for those who are known, may do it, and see the scope', async (name) => {
    const asked = async (token: string | undefined, scope: string) =>
      inAWord(await ask(started.url, token, operations[name](about(name, scope))))
    expect({
      'no token': await asked(undefined, 'own'),
      'a wrong token': await asked(`${tokens.admin}x`, 'own'),
      'an empty token': await asked('', 'own'),
    }).toEqual({ 'no token': closed, 'a wrong token': closed, 'an empty token': closed })
    for (const role of ['VIEWER', 'OPERATOR', 'ADMIN'] as const) {
      const token = tokens[role.toLowerCase() as Lowercase<typeof role>]
      expect([role, await asked(token, 'own')]).toEqual([role, inOwnScope(name, role)])
      expect([role, await asked(token, 'theirs')]).toEqual([role, inForeignScope(name)])
    }
    expect(await asked(tokens.root, 'theirs')).toBe(success(name))
  })
})

test('A41: what was refused has changed nothing', async () => {
  await using server = await guardedServer()
  await planted(server, 'own')
  await planted(server, 'theirs')
  const [, ask] = transports[0] ?? []
  const state = async () => {
    const log = 'query ($id: ID!) { scope(id: $id) { sessionCount events(first: 200) { edges { cursor } } } }'
    const own = await ask?.(server.url, tokens.root, { query: log, variables: { id: 'own' } })
    return [own, await ask?.(server.url, tokens.root, { query: log, variables: { id: 'theirs' } })]
  }
  const before = await state()
  for (const name of names.filter((each) => each.startsWith('Mutation.'))) {
    for (const [token, scope] of [
      [tokens.viewer, 'own'],
      [tokens.viewer, 'theirs'],
      [tokens.admin, 'theirs'],
      [tokens.admin, 'own/refused'],
      ['wrong', 'own'],
      [undefined, 'own'],
    ] as const) {
      await ask?.(server.url, token, operations[name]({ scope }))
    }
  }
  expect(await state()).toEqual(before)
  expect(before.map((got) => got?.text).join()).toMatch(/"sessionCount":2.*"sessionCount":2/)
})

test('A45: what is created names the principal, by a piece of the hash of its token', async () => {
  const [, ask] = transports[0] ?? []
  for (const name of ['Mutation.createSession', 'Mutation.enqueuePrompt'] as const) {
    const answer = await ask?.(started.url, tokens.operator, operations[name]({ scope: 'own' }))
    expect(answer?.text).toMatch(/"createdBy":"token:[0-9a-f]{8}"/)
  }
})

import { describe, expect, test } from 'vitest'
import { caller, ok, tester } from '../support/world.ts'
import { asScopeId } from '../../src/kernel/ids.ts'
import { Api, at, type Data } from './api.ts'
import { approving, becomesUncertain } from './approving.ts'

const LISTED = `{ session(scopeId: "default", sessionId: "s") { uncertainToolExecutions {
  id intentId toolName toolCallId input startedAt uncertainSince state outcome reconciledBy runId
} } }`

const RECONCILE = `mutation ($input: ReconcileToolExecutionInput!) { reconcileToolExecution(input: $input) {
  __typename
  ... on ReconcileToolExecutionPayload { execution {
    intentId state outcome output error { code message } reconciledBy reconciledAt session { sessionId } run { status }
  } }
  ... on Error { code message } ... on ValidationError { issues { path message } }
} }`

async function uncertain() {
  const { world, api } = await approving()
  await becomesUncertain(world, api)
  const listed = async () => at(await api.data(LISTED), 'session', 'uncertainToolExecutions') as readonly Data[]
  const [execution = {}] = await listed()
  const intentId = String(execution['intentId'])
  const reconcile = async (input: Data, as = api) =>
    (await as.data(RECONCILE, { input: { scopeId: 'default', intentId, ...input } }))['reconcileToolExecution'] as Data
  return { world, api, listed, execution, intentId, reconcile }
}

describe('a call of which nobody knows the end', () => {
  test('A75: is listed with what was given to it, and shows in its message', async () => {
    const { api, listed, intentId } = await uncertain()
    expect(await listed()).toEqual([
      {
        id: `UncertainToolExecution:default/${intentId}`,
        intentId,
        toolName: 'write',
        toolCallId: expect.any(String) as string,
        input: { path: 'a' },
        startedAt: expect.any(String) as string,
        uncertainSince: expect.any(String) as string,
        state: 'UNCERTAIN',
        outcome: null,
        reconciledBy: null,
        runId: expect.any(String) as string,
      },
    ])
    const data = await api.data(`{ session(scopeId: "default", sessionId: "s") { lastRun { toolExecutions {
      status intentId output error { code } uncertainExecution { intentId }
    } } } }`)
    expect(at(data, 'session', 'lastRun', 'toolExecutions')).toEqual([
      {
        status: 'UNCERTAIN',
        intentId,
        output: null,
        error: { code: 'OUTCOME_UNKNOWN' },
        uncertainExecution: { intentId },
      },
    ])
  })

  test.each([
    [{ outcome: 'SUCCEEDED', output: { a: [1, null] } }, { output: { a: [1, null] }, error: null }],
    [{ outcome: 'SUCCEEDED' }, { output: null, error: null }],
    [{ outcome: 'FAILED', error: 'Full.' }, { output: null, error: { code: 'TOOL_FAILED', message: 'Full.' } }],
    [{ outcome: 'NOT_EXECUTED' }, { output: null, error: null }],
  ])('A75: is reconciled once: %j', async (input, found) => {
    const { world, api, listed, intentId, reconcile } = await uncertain()
    const feed = await api.watch(`subscription { events(scopeId: "default", types: [TOOL_RECONCILED]) {
      ... on ToolReconciledEvent { intentId toolName outcome reconciledBy execution { state outcome } }
    } }`)
    expect(await reconcile(input)).toEqual({
      __typename: 'ReconcileToolExecutionPayload',
      execution: {
        intentId,
        state: 'RECONCILED',
        outcome: input.outcome,
        reconciledBy: 'tester',
        reconciledAt: new Date(world.clock.now()).toISOString(),
        session: { sessionId: 's' },
        run: { status: 'CANCELLED' },
        ...found,
      },
    })
    expect(await feed.event()).toEqual({
      intentId,
      toolName: 'write',
      outcome: input.outcome,
      reconciledBy: 'tester',
      execution: { state: 'RECONCILED', outcome: input.outcome },
    })
    await feed.stop()
    expect(await reconcile({ outcome: 'NOT_EXECUTED' })).toMatchObject({
      __typename: 'ReconciliationStateError',
      code: 'RECONCILIATION_STATE',
    })
    expect(await listed()).toEqual([])
  })

  test('A75: the event that lists it tells which call it was', async () => {
    const { api, intentId } = await uncertain()
    const data = await api.data(`{ scope(id: "default") { events(types: [TOOL_UNCERTAIN]) { edges { node {
      ... on ToolExecutionEvent { intentId toolName execution { state } }
    } } } } }`)
    expect(at(data, 'scope', 'events', 'edges')).toEqual([
      { node: { intentId, toolName: 'write', execution: { state: 'UNCERTAIN' } } },
    ])
  })
})

describe('what does not fit', () => {
  test.each([
    [{ outcome: 'FAILED' }, ['error']],
    [{ outcome: 'FAILED', error: '' }, ['error']],
    [{ outcome: 'FAILED', error: 'x'.repeat(2049) }, ['error']],
    [{ outcome: 'FAILED', error: 'x', output: 1 }, ['output']],
    [{ outcome: 'SUCCEEDED', error: 'x' }, ['error']],
    [{ outcome: 'NOT_EXECUTED', error: 'x', output: 1 }, ['error', 'output']],
    [{ outcome: 'NOT_EXECUTED', output: false, intentId: '' }, ['intentId', 'output']],
  ])('A5, A75: %j is ValidationError, with each field, and changes nothing', async (input, fields) => {
    const { world, listed, reconcile } = await uncertain()
    const before = await world.types()
    const refused = await reconcile(input)
    expect(refused).toMatchObject({ __typename: 'ValidationError' })
    const issues = refused['issues'] as { path: string[] }[]
    expect(issues.map(({ path }) => path.join('.')).toSorted()).toEqual(fields.map((field) => `input.${field}`))
    expect(await listed()).toHaveLength(1)
    expect(await world.types()).toEqual(before)
  })

  test('A74: an execution of another scope is as absent as one that does not exist', async () => {
    const { world, listed, intentId, reconcile } = await uncertain()
    ok(await world.harness.createSession({ scopeId: asScopeId('other') }, caller))
    const messages = new Set<string>()
    for (const input of [{ scopeId: 'other' }, { scopeId: 'other', intentId: 'invented' }, { scopeId: 'empty' }]) {
      const refused = await reconcile({ ...input, outcome: 'NOT_EXECUTED' })
      expect(refused).toMatchObject({ __typename: 'NotFoundError' })
      messages.add(String(refused['message']).replace(intentId, '…').replace('invented', '…'))
    }
    expect(messages.size).toBe(1)
    expect(await listed()).toHaveLength(1)
  })

  test('A41: an operator answers requests, and only an administrator reconciles', async () => {
    const { world, reconcile } = await uncertain()
    const operator = new Api(world.harness, { ...tester, role: 'OPERATOR' })
    expect(await reconcile({ outcome: 'NOT_EXECUTED' }, operator)).toMatchObject({ __typename: 'ForbiddenError' })
    expect(await reconcile({ outcome: 'NOT_EXECUTED' })).toMatchObject({ execution: { state: 'RECONCILED' } })
  })

  test('A75: an output of any size and depth is cut, not refused', async () => {
    const { reconcile } = await uncertain()
    let output: object = { deep: true }
    for (let i = 0; i < 2_000; i++) output = { a: output }
    const answer = await reconcile({ outcome: 'SUCCEEDED', output: [output, 'x'.repeat(1_000_000)] })
    expect(JSON.stringify(at(answer, 'execution', 'output')).length).toBeLessThanOrEqual(256 * 1024)
    expect(JSON.stringify(answer)).toContain('[cut')
  })
})

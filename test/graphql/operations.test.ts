import { describe, expect, test } from 'vitest'
import { World } from '../support/world.ts'
import { Api, at, type Data } from './api.ts'
import { exampleOperations } from './example-operations.ts'

const example = (name: string) => {
  const found = exampleOperations.find((it) => it.name === name)
  if (!found) throw new Error(`There is no example ${name}.`)
  return found
}

/** Runs an example with the variables beside it, or with these instead. */
const run = (api: Api, name: string, variables?: Record<string, unknown>): Promise<Data> =>
  api.data(example(name).source, variables ?? example(name).variables)

describe('the examples, in their order, tell a story', () => {
  test.each(exampleOperations)('$file says which variables it takes', ({ variables, shown }) => {
    expect(shown).toBe(Object.keys(variables).length === 0 ? 'none' : JSON.stringify(variables))
  })

  test('from the first session to its log', async () => {
    const subagents = [{ name: 'researcher', description: 'Finds things out.', system: 'Not to be shown.' }]
    const world = await World.started({ subagents })
    const api = new Api(world.harness)

    expect(await run(api, 'CreateSession')).toMatchObject({
      createSession: {
        __typename: 'CreateSessionPayload',
        session: {
          id: 'Session:default/first',
          title: 'My first session',
          status: 'IDLE',
          activity: { kind: 'IDLE', runId: null },
        },
      },
    })
    const events = await api.watch(example('Events').source, example('Events').variables)
    const enqueued = await run(api, 'Enqueue')
    await world.clock.settle()
    const live = await api.watch(example('LiveRun').source, example('LiveRun').variables)
    world.models.last.answer('1 2 3 4 5')
    await world.clock.advance(1000)

    const seen = await events.until(({ type }) => type === 'RUN_FINISHED')
    expect(seen.map(({ __typename }) => __typename)).toEqual(
      expect.arrayContaining(['PromptQueuedEvent', 'PartCompletedEvent', 'RunFinishedEvent']),
    )
    const updates = await live.until(({ status }) => status !== 'RUNNING')
    expect(at(updates.at(-1), 'messages')).toHaveLength(2)
    await events.stop()

    expect(at(await run(api, 'Conversation'), 'session')).toMatchObject({
      queue: [{ queueId: at(enqueued, 'enqueuePrompt', 'entry', 'queueId'), status: 'COMPLETED', createdBy: 'tester' }],
      activeRun: null,
      runs: {
        edges: [
          {
            node: {
              status: 'COMPLETED',
              error: null,
              usage: { inputTokens: 2, outputTokens: 3, totalTokens: 5 },
              model: { id: 'test:manual' },
            },
          },
        ],
      },
      messages: {
        edges: [
          { node: { role: 'USER', parts: [{ __typename: 'TextPart', text: 'count to 100 slowly' }] } },
          { node: { role: 'ASSISTANT', parts: [{ __typename: 'TextPart', text: '1 2 3 4 5' }] } },
        ],
      },
    })
    expect(at(await run(api, 'Dashboard'), 'scope')).toMatchObject({
      id: 'Scope:default',
      revision: 1,
      lifecycle: 'ACTIVE',
      sessions: {
        totalCount: 1,
        edges: [{ node: { sessionId: 'first', treeStatus: 'IDLE', treeUsage: { totalTokens: 5 } } }],
      },
    })
    expect(at(await run(api, 'Tree'), 'session')).toMatchObject({
      ancestors: [],
      children: { edges: [] },
      descendants: { edges: [] },
    })
    expect(at(await run(api, 'Log'), 'scope', 'events', 'edges')).toMatchObject([
      { node: { type: 'PROMPT_QUEUED' } },
      { node: { type: 'RUN_FINISHED' } },
    ])
    expect(await run(api, 'Answer')).toMatchObject({ respondToPermission: { __typename: 'NotFoundError' } })
    expect(await run(api, 'Cancel')).toMatchObject({ cancelPrompt: { __typename: 'NotFoundError', code: 'NOT_FOUND' } })
    expect(await run(api, 'Abort')).toMatchObject({
      abortRun: { __typename: 'AbortRunPayload', aborted: false, runId: null },
    })
    expect(await run(api, 'Harness')).toEqual({
      harness: {
        version: '0.0.0',
        models: [{ id: 'test:manual' }],
        subagents: [{ name: 'researcher', description: 'Finds things out.' }],
        limits: { maxOutstandingPromptsPerSession: 32, maxSubagentDepth: 1 },
      },
    })
  })

  test('and what a person is asked, and answers', async () => {
    const world = await World.started()
    world.tools.add('write')
    const api = new Api(world.harness)
    await run(api, 'CreateSession')
    const inbox = await api.watch(example('Approvals').source, example('Approvals').variables)
    expect(await inbox.event()).toEqual([])
    await run(api, 'Enqueue')
    await world.clock.settle()
    world.models.last.calls('write', { path: 'a' }).finish('continue')
    const [request] = (await inbox.event()) as unknown as readonly Data[]
    const { input } = example('Answer').variables
    const waiting = { permissionId: request?.['permissionId'], state: 'PENDING', session: { sessionId: 'first' } }
    expect(request).toMatchObject(waiting)
    expect(at(await run(api, 'Conversation'), 'session')).toMatchObject({
      status: 'AWAITING_PERMISSION',
      permissions: [waiting],
      grants: [],
      uncertainToolExecutions: [],
    })
    expect(at(await run(api, 'Dashboard'), 'scope', 'pendingPermissions')).toMatchObject([
      { permissionId: request?.['permissionId'], session: { sessionId: 'first' } },
    ])
    const answer = { ...(input as Data), permissionId: request?.['permissionId'] }
    expect(await run(api, 'Answer', { input: answer })).toMatchObject({
      respondToPermission: { permission: { state: 'RESOLVED', decision: 'ONCE', decidedBy: 'tester' } },
    })
    expect(await inbox.event()).toMatchObject([{ decision: 'ONCE' }])
    await inbox.stop()
  })
})

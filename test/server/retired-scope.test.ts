import { expect, test } from 'vitest'
import { asScopeId, asSessionId, type ScopeKey } from '../../src/kernel/ids.ts'
import type { EventUpdate } from '../../src/ports/subscriptions.ts'
import { caller, ok } from '../support/world.ts'
import { post } from './graphql-client.ts'
import { testServer, type TestServer } from './test-server.ts'
import { until } from './until.ts'

const retire = (url: string, scope: string) =>
  post(url, `mutation { retireScope(input: { scopeId: "${scope}" }) { __typename } }`)

/** A session with a run and a prompt that waits, and the key of its scope. */
async function busy({ url, harness, models }: TestServer, scope: string): Promise<ScopeKey> {
  const about = `scopeId: "${scope}", sessionId: "s"`
  await post(url, `mutation { createSession(input: { ${about} }) { __typename } }`)
  const calls = models.calls.length
  for (const text of ['runs', 'waits']) {
    await post(url, `mutation { enqueuePrompt(input: { ${about}, text: "${text}" }) { __typename } }`)
  }
  await until('the model was asked', () => models.calls.length > calls)
  const { scope: row } = (await harness.openScope(asScopeId(scope), caller)) ?? {}
  if (!row) throw new Error('There is no such scope.')
  return row.key
}

/** Everything that a subscriber gets until the end. */
async function rest(updates: AsyncIterable<EventUpdate>): Promise<readonly string[]> {
  const types: string[] = []
  for await (const update of updates) if (update.type === 'event') types.push(update.event.body.type)
  return types
}

test('E18: when a scope is retired its subscriptions end, after everything that was committed, and no others do', async () => {
  await using started = await testServer()
  const [gone, stays] = [await busy(started, 'gone'), await busy(started, 'stays')]
  const { subscriptions } = started.harness
  const read = await subscriptions.events({ scopeKey: gone, after: 0, deltas: true })
  const unread = await subscriptions.events({ scopeKey: gone, after: 0, deltas: false, types: ['run.finished', 'prompt.finished'] })
  const foreign = await subscriptions.events({ scopeKey: stays, deltas: false })
  const reading = rest(read)
  await retire(started.url, 'gone')
  const log = await started.stores.events.read({ scopeKey: gone, filter: {}, after: 0, limit: 200 })
  expect(await reading).toEqual(log.events.map(({ body }) => body.type))
  expect(await rest(unread)).toEqual(['prompt.finished', 'prompt.finished', 'run.finished'])
  expect(subscriptions.size).toBe(1)

  const again = await subscriptions.events({ scopeKey: gone, deltas: false })
  ok(await started.harness.createSession({ scopeId: asScopeId('gone'), sessionId: asSessionId('new') }, caller))
  expect(await again.next()).toMatchObject({ value: { event: { body: { type: 'session.created' } } } })
  await Promise.all([again.return?.(), foreign.return?.()])
  expect(subscriptions.size).toBe(0)
})

test('E18: who follows a run of a scope that is retired sees its end', async () => {
  await using started = await testServer()
  await busy(started, 'gone')
  const query = 'subscription { liveRun(scopeId: "gone", sessionId: "s") { status } }'
  const headers = { accept: 'text/event-stream' }
  const response = await fetch(`${started.url}?query=${encodeURIComponent(query)}`, { headers })
  await until('it is attached', () => started.harness.subscriptions.size === 1)
  await retire(started.url, 'gone')
  const text = await response.text()
  expect(text).toContain('"CANCELLED"')
  expect(text).toMatch(/event: complete\ndata:\n\n$/)
})

import { expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { asScopeId } from '../../src/kernel/ids.ts'
import { caller, ok } from '../support/world.ts'
import { send } from './graphql-client.ts'
import { testServer } from './test-server.ts'
import { until } from './until.ts'

const ready = (url: string) => send(url, { path: '/health/ready' })

test('V13: a server that takes work is live and ready', async () => {
  await using started = await testServer()
  expect(await send(started.url, { path: '/health/live' })).toMatchObject({ status: 200, body: '{"status":"live"}' })
  expect(await ready(started.url)).toMatchObject({ status: 200, body: '{"status":"ready"}' })
  expect(await send(started.url, { path: '/health/live', method: 'HEAD' })).toMatchObject({ status: 200, body: '' })
})

test.each<readonly [string, (stores: Stores) => Stores]>([
  ['says that it is not', (stores) => ({ ...stores, isReady: async () => false })],
  ['throws', (stores) => ({ ...stores, isReady: () => Promise.reject(new Error('postgresql://user:secret@db')) })],
  ['does not answer', (stores) => ({ ...stores, isReady: () => new Promise(() => undefined) })],
])('V13: a server whose store %s is live, but not ready, and says no more', async (_how, decorate) => {
  await using started = await testServer({ decorate })
  expect(await ready(started.url)).toMatchObject({ status: 503, body: '{"status":"not ready"}' })
  expect(await send(started.url, { path: '/health/live' })).toMatchObject({ status: 200 })
})

test('V13: a server is not ready while any scope is fenced', async () => {
  const gate = Promise.withResolvers<void>()
  const decorate = (stores: Stores): Stores => ({
    ...stores,
    sessions: {
      ...stores.sessions,
      page: async (...call) => {
        await gate.promise
        return stores.sessions.page(...call)
      },
    },
  })
  await using started = await testServer({ decorate })
  ok(await started.harness.fenceScope({ scopeId: asScopeId('doubtful'), reason: 'Somebody doubts it.' }, caller))
  expect(await ready(started.url)).toMatchObject({ status: 503, body: '{"status":"not ready"}' })
  gate.resolve()
  await until('it is restored', () => started.harness.isHealthy)
  expect(await ready(started.url)).toMatchObject({ status: 200 })
})

test('V13: a server that stops is not ready any more', async () => {
  await using started = await testServer()
  await started.harness.close({ graceMs: 0 })
  expect(await ready(started.url)).toMatchObject({ status: 503 })
})

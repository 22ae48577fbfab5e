import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/access/principal.ts'
import { asScopeId, asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { rawSocket } from '../server/raw-socket.ts'
import type { TestServer } from '../server/test-server.ts'
import { until } from '../server/until.ts'
import { ManualTools } from '../support/manual-tools.ts'
import { guardedServer, planted } from './guarded-server.ts'

const EVENTS = 'subscription { events(scopeId: "own") { type } }'

/** A server with a principal whose rights can be taken away. */
async function revocable() {
  let scopes: readonly string[] = ['own', 'other']
  let role: Principal['role'] = 'ADMIN'
  const principal: Principal = {
    id: 'somebody',
    get role() {
      return role
    },
    get scopes() {
      return scopes
    },
  }
  const tools = new ManualTools().add('write')
  const started = await guardedServer({ authenticator: { authenticate: async () => principal }, tools })
  return {
    started,
    hide: () => void (scopes = ['other']),
    demote: () => void (role = 'VIEWER'),
  }
}

const happen = ({ harness }: TestServer, scope = 'own') =>
  harness.createSession({ scopeId: asScopeId(scope) }, { principal: 'another' })

/** The model of its planted session asks for a call of a tool, for which a person is asked. */
async function asksIn({ harness, models, stores }: TestServer, scope: string): Promise<void> {
  models.onCall = (call) => void call.calls('write', {}).finish('continue')
  const to = { scopeId: asScopeId(scope), sessionId: asSessionId('s') }
  await harness.enqueuePrompt({ ...to, text: 'write' }, { principal: 'another' })
  const row = await stores.scopes.find(asStorageKey(scope))
  await until('a person is asked', async () => {
    const waiting = row && (await stores.permissions.inbox(row.key, undefined, 1))
    return waiting?.length === 1
  })
}

async function connected(url: string) {
  const client = await rawSocket(url)
  client.send({ type: 'connection_init', payload: {} })
  await client.message(({ type }) => type === 'connection_ack')
  return client
}

test('A44: over WebSocket a subscription ends with the next event when its scope is no longer seen, alone', async () => {
  const { started, hide } = await revocable()
  await using server = started
  const client = await connected(server.url)
  client.subscribe('lost', EVENTS)
  client.subscribe('kept', EVENTS.replace('own', 'other'))
  await until('both are attached', () => server.harness.subscriptions.size === 2)
  await happen(server)
  await client.message(({ id, type }) => id === 'lost' && type === 'next')
  hide()
  await happen(server)
  const isLast = ({ id, type, payload }: { id?: string; type: string; payload?: unknown }) =>
    id === 'lost' && (type === 'error' || JSON.stringify(payload ?? null).includes('"errors"'))
  const last = await client.message(isLast)
  expect(JSON.stringify(last.payload)).toContain('NOT_FOUND')
  expect(JSON.stringify(last.payload)).not.toContain('SESSION_CREATED')
  await until('it has gone, the other has not', () => server.harness.subscriptions.size === 1)
  await happen(server, 'other')
  expect(await client.message(({ id, type }) => id === 'kept' && type === 'next')).toBeDefined()
  client.socket.terminate()
})

test('A44: a stream of events ends with the next event when its scope is no longer seen', async () => {
  const { started, hide } = await revocable()
  await using server = started
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query: EVENTS }) })
  await until('it is attached', () => server.harness.subscriptions.size === 1)
  hide()
  await happen(server)
  const text = await response.text()
  expect(text).toContain('"code":"NOT_FOUND"')
  expect(text).not.toContain('SESSION_CREATED')
  expect(server.harness.subscriptions.size).toBe(0)
})

test('A44: a live run ends as well', async () => {
  const { started, hide } = await revocable()
  await using server = started
  await planted(server, 'own')
  server.models.onCall = (call) => call.start().delta('so far')
  const client = await connected(server.url)
  const live = 'subscription { liveRun(scopeId: "own", sessionId: "s") { status } }'
  client.subscribe('m', 'mutation { enqueuePrompt(input: { scopeId: "own", sessionId: "s", text: "x" }) { __typename } }')
  await client.message(({ id, type }) => id === 'm' && type === 'complete')
  client.subscribe('live', live)
  await client.message(({ id, type }) => id === 'live' && type === 'next')
  hide()
  server.models.last.delta('more').end().finish()
  const last = await client.message(({ id, payload }) => id === 'live' && JSON.stringify(payload ?? '').includes('code'))
  expect(JSON.stringify(last.payload)).toContain('NOT_FOUND')
  client.socket.terminate()
})

test('A44: an inbox ends as well, over WebSocket and as a stream of events', async () => {
  const { started, hide } = await revocable()
  await using server = started
  await planted(server, 'own')
  const inbox = 'subscription { pendingPermissions(scopeId: "own") { id state } }'
  const client = await connected(server.url)
  client.subscribe('inbox', inbox)
  const first = await client.message(({ id, type }) => id === 'inbox' && type === 'next')
  expect(first.payload).toEqual({ data: { pendingPermissions: [] } })
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
  const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify({ query: inbox }) })
  await until('both are attached', () => server.harness.subscriptions.size === 2)
  hide()
  await asksIn(server, 'own')
  const last = await client.message(({ id, payload }) => id === 'inbox' && JSON.stringify(payload ?? '').includes('code'))
  const text = await response.text()
  expect(text).toContain('{"data":{"pendingPermissions":[]}}')
  for (const shown of [JSON.stringify(last.payload), text]) {
    expect(shown).toContain('NOT_FOUND')
    expect(shown).not.toContain('PENDING')
  }
  await until('nothing is left of them', () => server.harness.subscriptions.size === 0)
  client.socket.terminate()
})

test('A44: each mutation is asked anew', async () => {
  const { started, demote, hide } = await revocable()
  await using server = started
  const client = await connected(server.url)
  const create = 'mutation { createSession(input: { scopeId: "own" }) { __typename } }'
  const answered = async (id: string) => {
    client.subscribe(id, create)
    return JSON.stringify((await client.message((message) => message.id === id)).payload)
  }
  expect(await answered('1')).toContain('CreateSessionPayload')
  demote()
  expect(await answered('2')).toContain('ForbiddenError')
  hide()
  expect(await answered('3')).toContain('NotFoundError')
  client.socket.terminate()
})

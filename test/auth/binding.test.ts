import { expect, test } from 'vitest'
import { tokenAuthenticator } from '../../src/server/auth/token-authenticator.ts'
import { readConfig } from '../../src/server/config.ts'
import { createGraphQLServer } from '../../src/server/graphql-server.ts'
import { World } from '../support/world.ts'
import { send } from '../server/graphql-client.ts'
import { testServer } from '../server/test-server.ts'
import { grantsOf, HARNESS_TOKENS } from './guarded-server.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

test.each(['0.0.0.0', '::', '10.0.0.1', 'agents.example.com'])(
  'V42: it does not listen on %s without an authenticator, nor does a configuration without tokens say so',
  async (host) => {
    const { harness } = await World.started()
    const server = createGraphQLServer({ harness, log })
    await expect(server.listen({ host, port: 0 })).rejects.toThrow(`Listening on ${host} needs an authenticator.`)
    const reading = readConfig({ HOST: host })
    expect(reading.ok ? [] : reading.problems).toEqual([
      `HOST: must be 127.0.0.1, localhost or ::1 without HARNESS_TOKENS, which says who may call from elsewhere, got "${host}"`,
    ])
    expect(readConfig({ HOST: host, HARNESS_TOKENS })).toMatchObject({ ok: true, config: { host } })
  },
)

test('V42: with tokens it listens beyond this machine, and asks everybody for one', async () => {
  const { harness } = await World.started()
  const server = createGraphQLServer({ harness, log, authenticator: tokenAuthenticator(grantsOf(HARNESS_TOKENS)) })
  const url = new URL(await server.listen({ host: '0.0.0.0', port: 0 }))
  url.hostname = '127.0.0.1'
  const path = '/graphql?query=%7B__typename%7D'
  expect(await send(url.href, { path })).toMatchObject({ status: 401 })
  server.stopListening()
  await server.close()
})

test('V42: without tokens whoever calls from this machine is local, with every right, whatever he brings', async () => {
  await using started = await testServer()
  const query = 'mutation { createSession(input: { scopeId: "any" }) { ... on CreateSessionPayload { session { createdBy } } } }'
  for (const headers of [{}, { authorization: 'Bearer whatever' }]) {
    const answer = await send(started.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query }),
    })
    expect(answer.body).toBe('{"data":{"createSession":{"session":{"createdBy":"local"}}}}')
  }
})

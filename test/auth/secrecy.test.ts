import { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { tokenAuthenticator } from '../../src/server/auth/token-authenticator.ts'
import { readConfig } from '../../src/server/config.ts'
import { printedConfig } from '../../src/server/config/printed-config.ts'
import { send } from '../server/graphql-client.ts'
import { rawSocket } from '../server/raw-socket.ts'
import { until } from '../server/until.ts'
import { grantsOf, guardedServer, HARNESS_TOKENS, planted, tokens } from './guarded-server.ts'

/** The comparison of Node itself, watched: it goes on doing what it does. */
const compared = vi.spyOn(process.getBuiltinModule('node:crypto'), 'timingSafeEqual')
syncBuiltinESMExports()

beforeEach(() => void compared.mockClear())

afterAll(() => {
  compared.mockRestore()
  syncBuiltinESMExports()
})

const remoteAddress = '127.0.0.1'

test.each([
  ['the first', tokens.viewer, 'VIEWER'],
  ['the last', tokens.root, 'ADMIN'],
  ['a wrong', 'wrong', undefined],
  ['an empty', '', undefined],
  ['an almost right', tokens.root.slice(0, -1), undefined],
])('V41: %s token is compared by its hash, in constant time, with all that there are', async (_which, token, role) => {
  const authenticator = tokenAuthenticator(grantsOf(HARNESS_TOKENS))
  expect((await authenticator.authenticate({ token, remoteAddress }))?.role).toBe(role)
  expect(compared).toHaveBeenCalledTimes(4)
  const hash = createHash('sha256').update(token).digest()
  for (const [known, presented] of compared.mock.calls) {
    expect(known).toHaveLength(32)
    expect(presented).toEqual(hash)
  }
})

test('V41: what is kept of tokens, and of the configuration, holds none of them', () => {
  const reading = readConfig({ HARNESS_TOKENS })
  if (!reading.ok) throw new Error(reading.problems.join('\n'))
  const printed = printedConfig(reading.config)
  const kept = JSON.stringify(reading)
  for (const token of Object.values(tokens)) {
    expect(kept).not.toContain(token)
    expect(printed).not.toContain(token)
  }
  expect(printed).toContain('HARNESS_TOKENS=***=VIEWER:own,own/*;***=OPERATOR:own,own/*;***=ADMIN:own,own/*;***=ADMIN:*')
})

test('V41: neither the log nor any answer shows a token, whatever is done with it', async () => {
  await using started = await guardedServer()
  await planted(started, 'own')
  const secrets = [tokens.operator, `${tokens.operator}-almost`]
  const answers: string[] = []
  for (const token of secrets) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
    const bodies = [
      '{ scopes { edges { node { sessions { edges { node { createdBy } } } } } } }',
      'mutation { createSession(input: { scopeId: "own" }) { ... on CreateSessionPayload { session { createdBy } } } }',
      'mutation { createSession(input: { scopeId: "theirs" }) { ... on Error { message } } }',
      '{ nonsense',
    ].map((query) => JSON.stringify({ query }))
    for (const body of [...bodies, '{', token, `{"query":"{ ${token} }"`]) {
      const { body: text, ...rest } = await send(started.url, { method: 'POST', headers, body })
      if (!body.includes(token)) answers.push(text)
      answers.push(JSON.stringify(rest))
    }
    for (const message of [
      { type: 'connection_init', payload: { token } },
      { type: 'connection_init', payload: { Authorization: `Bearer ${token}` }, id: 7 },
      `{"type":"connection_init","payload":{"token":"${token}"`,
    ]) {
      const client = await rawSocket(started.url)
      client.send(message)
      await Promise.race([client.closed, client.message(() => true).catch(() => undefined)])
      if (typeof message === 'object') answers.push(JSON.stringify(client.messages))
      client.socket.terminate()
    }
  }
  await until('all sockets are gone', () => started.server.sockets === 0)
  const shown = [JSON.stringify(started.lines.map((line) => ({ ...line, err: String(line.fields['err']) }))), ...answers]
  for (const text of shown) expect(text).not.toContain(tokens.operator)
})

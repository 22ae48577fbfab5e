import { expect, test } from 'vitest'
import { runServer, scratchFolder, startServer } from '../support/server-process.ts'
import { byHttp, bySocket, inAWord } from './asking.ts'
import { HARNESS_TOKENS, tokens } from './guarded-server.ts'

const create = (scope: string) => ({
  query: `mutation { createSession(input: { scopeId: "${scope}", sessionId: "s" }) {
    ... on Error { code message } ... on CreateSessionPayload { session { createdBy } }
  } }`,
})
const enqueue = {
  query: 'mutation { enqueuePrompt(input: { scopeId: "own", sessionId: "s", text: "count to 5" }) { ... on Error { code } } }',
}
const live = { query: 'subscription { liveRun(scopeId: "own", sessionId: "s") { status messages { role } } }' }
const scopes = { query: '{ scopes { edges { node { scopeId } } } }' }

test('V40, V41, A41, A42: the real process with HARNESS_TOKENS', async () => {
  using folder = scratchFolder()
  await using server = await startServer({ folder: folder.path, env: { HARNESS_TOKENS, LOG_LEVEL: 'debug' } })
  const { url } = server
  for (const [token, ask, closed] of [
    [undefined, byHttp, '401'],
    [`${tokens.root}x`, byHttp, '401'],
    [undefined, bySocket, '4403'],
    [`${tokens.root}x`, bySocket, '4403'],
  ] as const) {
    expect(inAWord(await ask(url, token, scopes))).toBe(closed)
  }
  expect(await fetch(new URL('/health/ready', url))).toMatchObject({ status: 200 })
  expect(inAWord(await byHttp(url, tokens.viewer, create('own')))).toBe('FORBIDDEN')
  expect(inAWord(await byHttp(url, tokens.operator, create('theirs')))).toBe('NOT_FOUND')
  expect(await byHttp(url, tokens.operator, create('own'))).toMatchObject({
    text: expect.stringMatching(/"createdBy":"token:[0-9a-f]{8}"/) as string,
  })
  expect(inAWord(await byHttp(url, tokens.root, create('theirs')))).toBe('ok')
  expect(inAWord(await bySocket(url, tokens.operator, enqueue))).toBe('ok')
  expect(inAWord(await bySocket(url, tokens.viewer, live))).toBe('ok')
  expect((await byHttp(url, tokens.viewer, scopes)).text).toBe('{"data":{"scopes":{"edges":[{"node":{"scopeId":"own"}}]}}}')
  const exit = await server.end('SIGTERM')
  expect(exit.code).toBe(0)
  for (const token of Object.values(tokens)) expect(exit.stdout + exit.stderr).not.toContain(token)
}, 180_000)

test('V41: --print-config shows roles and scopes, and no token', async () => {
  using folder = scratchFolder()
  const exit = await runServer({ folder: folder.path, args: ['--print-config'], env: { HARNESS_TOKENS, HOST: '0.0.0.0' } })
  expect(exit).toMatchObject({ code: 0, stderr: '' })
  expect(exit.stdout).toContain('HOST=0.0.0.0\nHARNESS_TOKENS=***=VIEWER:own,own/*;***=OPERATOR:own,own/*')
  for (const token of Object.values(tokens)) expect(exit.stdout).not.toContain(token)
})

test('V43: faulty tokens stop the start, one line each, without a token in them', async () => {
  using folder = scratchFolder()
  const env = { HARNESS_TOKENS: 'hunter2=ROOT:*;hunter3;hunter4=ADMIN:*', HOST: 'nowhere.invalid', PORT: 'x' }
  const { code, stdout, stderr } = await runServer({ folder: folder.path, env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr.trimEnd().split('\n')).toEqual([
    'PORT: must be a port number from 0 to 65535, got "x"',
    'HARNESS_TOKENS: entry 1: its role must be one of VIEWER, OPERATOR, ADMIN',
    'HARNESS_TOKENS: entry 2: must be TOKEN=ROLE:SCOPE,SCOPE',
  ])
})

test.each([
  ['nowhere.invalid', 'HOST: nowhere.invalid has no address.\n'],
  ['192.0.2.1', 'HOST: 192.0.2.1 is no address of this machine.\n'],
])('V42: an address that cannot be had is one line: %s', async (HOST, line) => {
  using folder = scratchFolder()
  const exit = await runServer({ folder: folder.path, env: { HARNESS_TOKENS, HOST, LOG_LEVEL: 'silent' } })
  expect(exit).toMatchObject({ code: 1, stdout: '', stderr: line })
})

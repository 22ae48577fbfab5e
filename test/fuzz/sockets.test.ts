import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { post } from '../server/graphql-client.ts'
import { testServer, type TestServer } from '../server/test-server.ts'
import { until } from '../server/until.ts'
import { expectDecent, expectDiscreet } from './decent.ts'
import { frameBytes, type Received } from './frames.ts'
import { expectHolds, patience } from './fuzzing.ts'
import { conversationOf, rawClient, type RawClient, upgrading } from './raw-client.ts'
import { frameSequences, protocolSequences, type Step } from './socket-steps.ts'
import { uncaughtErrors } from './uncaught.ts'

const uncaught = uncaughtErrors()
let started: TestServer

async function start(): Promise<TestServer> {
  const server = await testServer({ limits: { maxOperationsPerSocket: 4 } })
  let prompts = 0
  // Some runs end at once, some go on until they are aborted.
  server.models.onCall = (call) => void (prompts++ % 2 === 0 ? call.answer('Hello') : call.start().delta('Hel'))
  for (const id of ['s', 't']) {
    await post(
      server.url,
      `mutation { createSession(input: { scopeId: "default", sessionId: "${id}" }) { __typename } }`,
    )
  }
  return server
}

beforeAll(async () => {
  started = await start()
})

afterAll(() => started[Symbol.asyncDispose]())

type Ending = 'closes' | 'half-closes' | 'drops'
const endings = fc.constantFrom<Ending>('closes', 'half-closes', 'drops', 'drops')

/** Sends one thing after the other, and goes. Answers everything that the server said. */
async function played(client: RawClient, steps: readonly Step[], ending: Ending): Promise<Buffer> {
  await client.more()
  for (const step of steps) {
    if (client.socket.destroyed) break
    if (step.does === 'send') client.socket.write(step.bytes)
    else await Promise.race([client.more(), new Promise((resolve) => setTimeout(resolve, 5))])
  }
  if (ending === 'drops') client.socket.destroy()
  else if (ending === 'closes') client.socket.end(frameBytes({ opcode: 8, payload: Buffer.alloc(0) }))
  else client.socket.end()
  await client.ended
  return client.received()
}

/** The codes with which a server says that it is to blame. Any other is an answer, or an echo of the client's own. */
const blamingCodes = [1011, 4500]

function expectBlameless(payload: Buffer): void {
  const code = payload.length > 0 ? payload.readUInt16BE(0) : 1005
  expect(blamingCodes).not.toContain(code)
  expectDiscreet(payload.subarray(2).toString())
}

function expectFrame({ opcode, payload }: Received): void {
  expect([1, 8, 9, 10]).toContain(opcode)
  if (opcode === 8) expectBlameless(payload)
  if (opcode !== 1) return
  const message = JSON.parse(payload.toString()) as { readonly type: string; readonly payload?: unknown }
  expect(['connection_ack', 'ping', 'pong', 'next', 'error', 'complete']).toContain(message.type)
  if (message.type === 'error') expectDecent(message.payload)
  if (message.type === 'next') {
    const { errors } = message.payload as { readonly errors?: unknown }
    if (errors !== undefined) expectDecent(errors)
  }
}

/** A server that is not well is no use to the cases after it. */
async function expectWell(): Promise<void> {
  try {
    await expectAsBefore()
  } catch (error) {
    started = await start()
    throw error
  }
}

async function expectAsBefore(): Promise<void> {
  const { data } = await post(started.url, '{ harness { version } scope(id: "default") { sessionCount } }')
  expect(data).toMatchObject({ harness: { version: '0.0.0' } })
  await until('all sockets have ended', () => started.server.sockets === 0)
  await until('all subscriptions have ended', () => started.harness.subscriptions.size === 0)
  expect(uncaught).toEqual([])
  expect(started.lines.filter(({ level }) => level !== 'info')).toEqual([])
}

/** Runs on several connections at once, then looks at what each of them was told and at the server. */
const expectServed = (sequences: fc.Arbitrary<readonly Step[]>) =>
  fc.asyncProperty(fc.array(fc.tuple(sequences, endings), { minLength: 1, maxLength: 3 }), async (clients) => {
    const told = await Promise.all(clients.map(([steps, ending]) => played(upgrading(started.url), steps, ending)))
    for (const bytes of told) {
      const { status, frames } = conversationOf(bytes)
      expect(status).toBe(101)
      for (const frame of frames) expectFrame(frame)
    }
    await expectWell()
  })

test(
  'V71: whatever a client says over a WebSocket, in any order, it is answered or closed, and nothing is left of it',
  async () => {
    await expectHolds(expectServed(protocolSequences), 150)
  },
  patience,
)

test(
  'V71: whatever frames come over a WebSocket, whole or not, the server goes on and nothing is left of them',
  async () => {
    await expectHolds(expectServed(frameSequences), 150)
  },
  patience,
)

interface Changes {
  readonly drop: number
  readonly add: string
}

const changes: fc.Arbitrary<Changes> = fc.record({
  drop: fc.nat(8),
  add: fc.constantFrom(
    'X-A: b',
    'Sec-WebSocket-Version: 99',
    'Sec-WebSocket-Key: short',
    'Sec-WebSocket-Protocol: graphql-ws',
    'Sec-WebSocket-Protocol: ,,,',
    'Sec-WebSocket-Protocol: graphql-transport-ws, graphql-transport-ws',
    'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99',
    'Sec-WebSocket-Extensions: ;;;',
    'Origin: null',
    'Upgrade: h2c',
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    `X-A: ${'x'.repeat(20_000)}`,
    'broken',
    ': empty',
    'X-A: \0',
  ),
})

test(
  'V71: whatever handshake is tried, it is answered or closed',
  async () => {
    await expectHolds(
      fc.asyncProperty(changes, protocolSequences, endings, async ({ drop, add }, steps, ending) => {
        const client = upgrading(started.url, (lines) => [...lines.toSpliced(drop, 1), add])
        const bytes = await played(client, steps, ending)
        const { status, frames } = conversationOf(bytes)
        expect(status).toBeLessThan(500)
        for (const frame of frames) expectFrame(frame)
        if (status !== 101) expectDiscreet(bytes.toString('latin1'))
        await expectWell()
      }),
      100,
    )
  },
  patience,
)

const BODY = '{"query":"mutation { createSession(input: { scopeId: \\"default\\" }) { __typename } }"}'
const head = (...lines: readonly string[]): string =>
  ['POST /graphql HTTP/1.1', 'Host: HOST', 'Content-Type: application/json', ...lines, '', ''].join('\r\n')

const requests = fc.oneof(
  fc.constantFrom(
    `${head(`Content-Length: ${BODY.length}`)}${BODY}`,
    `${head(`Content-Length: ${BODY.length + 9}`)}${BODY}`,
    `${head('Content-Length: 3')}${BODY}`,
    `${head('Content-Length: -1')}${BODY}`,
    `${head('Content-Length: 99999999999999999999')}${BODY}`,
    `${head('Content-Length: 5', 'Content-Length: 6')}${BODY}`,
    `${head('Transfer-Encoding: chunked')}${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`,
    `${head('Transfer-Encoding: chunked')}zz\r\n${BODY}`,
    `${head('Transfer-Encoding: chunked', 'Content-Length: 5')}0\r\n\r\n`,
    `${head('Expect: 100-continue', `Content-Length: ${BODY.length}`)}${BODY}`,
    `${head('Expect: nothing', `Content-Length: ${BODY.length}`)}${BODY}`,
    `${head('Content-Encoding: gzip', `Content-Length: ${BODY.length}`)}${BODY}`,
    'GET /graphql?query=%ff%fe HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'GET /graphql?query={__typename}&query=x&variables=[ HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'GET http://HOST/graphql?query=%7B__typename%7D HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'GET //graphql HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'OPTIONS * HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'CONNECT HOST HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'TRACE /graphql HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET /graphiql/../../package.json HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'GET /graphiql/%2e%2e%2fpackage.json HTTP/1.1\r\nHost: HOST\r\n\r\n',
    'GET /graphql HTTP/1.0\r\n\r\n',
  ),
)

const flips = fc.array(fc.tuple(fc.nat(400), fc.nat(7)), { maxLength: 3 })

const streamsOfBytes = fc.record({
  texts: fc.array(requests, { minLength: 1, maxLength: 3 }),
  changed: flips,
  cut: fc.nat(600),
  ending: endings,
})

test(
  'V70: whatever bytes come over a connection, they are answered or the connection ends',
  async () => {
    await expectHolds(
      fc.asyncProperty(streamsOfBytes, async ({ texts, changed, cut, ending }) => {
        const whole = Buffer.from(texts.join('').replaceAll('HOST', new URL(started.url).host))
        for (const [at, bit] of changed) whole[at % whole.length] = (whole[at % whole.length] ?? 0) ^ (1 << bit)
        const client = rawClient(started.url)
        client.socket.write(whole.subarray(0, cut > 400 ? whole.length : cut))
        if (ending === 'drops') client.socket.destroy()
        else client.socket.end()
        await client.ended
        const answer = client.received().toString('latin1')
        expect(answer).toMatch(/^(?:$|HTTP\/1\.1 (?:[1-4]|50[15]))/)
        expectDiscreet(answer)
        await expectWell()
      }),
      150,
    )
  },
  patience,
)

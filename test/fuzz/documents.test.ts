import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RawAnswer, send } from '../server/graphql-client.ts'
import { until } from '../server/until.ts'
import { bodies, contentTypes } from './bodies.ts'
import { expectDecentResult, expectDiscreet } from './decent.ts'
import { requests } from './documents.ts'
import { expectHolds, patience } from './fuzzing.ts'
import { type Populated, populated } from './populated.ts'
import { stored } from './stored.ts'
import { uncaughtErrors } from './uncaught.ts'

const uncaught = uncaughtErrors()
let stage: Populated
let seen = 0

beforeAll(async () => {
  stage = await populated()
})

afterAll(() => stage[Symbol.asyncDispose]())

const accepts = fc.constantFrom(
  'application/graphql-response+json',
  'application/json',
  '*/*',
  'text/event-stream',
  'application/xml',
  '',
  'x'.repeat(2_000),
)

interface Answer extends RawAnswer {
  readonly result: unknown
}

const NOT_ACCEPTABLE = { errors: [{ message: 'Not acceptable', extensions: { code: 'NOT_ACCEPTABLE' } }] }

/** A stream of events is taken for the last that it says. */
async function asked(request: Parameters<typeof send>[1]): Promise<Answer> {
  const answer = await send(stage.url, request)
  await stage.world.clock.settle()
  const data = /^data: (.+)$/m.exec(answer.body)?.[1] ?? answer.body
  // What nobody accepts has no body.
  return { ...answer, result: answer.status === 406 && data === '' ? NOT_ACCEPTABLE : JSON.parse(data) }
}

/** Whether the whole operation was refused, so that none of its mutations was executed. */
const isRefused = (result: unknown): boolean => ((result as { readonly data?: unknown }).data ?? null) === null

async function expectAnswered({ status, result }: Answer, before: unknown): Promise<void> {
  const faults = stage.faults.slice(seen)
  seen += faults.length
  expect(uncaught).toEqual([])
  expect(faults).toEqual([])
  expect(status).toBeLessThan(500)
  expectDecentResult(result)
  expect(isRefused(result) ? await stored(stage.world.stores) : before).toEqual(before)
}

/** Streams would go on: they are for sockets and for the arguments of subscriptions. */
const isStream = (request: string, accept: string): boolean =>
  ['text/event-stream', '*/*', ''].includes(accept) && request.includes('subscription')

test(
  'V70: whatever document comes, by POST or by GET, it is answered, and one that is refused has changed nothing',
  async () => {
    await expectHolds(
      fc.asyncProperty(requests, accepts, fc.constantFrom('POST', 'GET'), async (request, accept, method) => {
        fc.pre(!isStream(request.query, accept))
        const before = await stored(stage.world.stores)
        const { query, variables, operationName } = request
        if (method === 'POST') {
          const headers = { 'content-type': 'application/json', accept }
          await expectAnswered(await asked({ method, headers, body: JSON.stringify(request) }), before)
          return
        }
        const search = new URLSearchParams({
          query,
          ...(variables !== undefined && { variables: JSON.stringify(variables) }),
          ...(typeof operationName === 'string' && { operationName }),
        })
        // Longer ones are refused by the HTTP parser of Node itself.
        fc.pre(search.toString().length < 8_000)
        await expectAnswered(await asked({ method, headers: { accept }, path: `/graphql?${search}` }), before)
      }),
      600,
    )
  },
  patience,
)

test(
  'V70: whatever bytes come as a body, of whatever type they say they are, they are answered',
  async () => {
    await expectHolds(
      fc.asyncProperty(bodies, contentTypes, accepts, async (body, contentType, accept) => {
        fc.pre(!isStream(body.toString(), accept))
        const before = await stored(stage.world.stores)
        const headers = { 'content-type': contentType, accept }
        await expectAnswered(await asked({ method: 'POST', headers, body }), before)
      }),
      400,
    )
  },
  patience,
)

test('V70: afterwards the server answers as before', async () => {
  const body = JSON.stringify({ query: '{ harness { version } scopes { edges { node { sessionCount } } } }' })
  const { status, body: text } = await send(stage.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(status).toBe(200)
  expect(JSON.parse(text)).toMatchObject({ data: { harness: { version: '0.0.0' } } })
  expectDiscreet(text)
  await until('nobody watches any more', () => stage.subscriptions === 0)
})

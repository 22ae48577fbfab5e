import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestServer } from '../server/test-server.ts'
import { guardedServer, tokens } from './guarded-server.ts'

let started: TestServer

beforeAll(async () => {
  started = await guardedServer()
})

afterAll(() => started[Symbol.asyncDispose]())

const fetchFn: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${tokens.viewer}`)
  return fetch(input, { ...init, headers })
}

const audits = serverAudits({ url: () => started.url, fetchFn })

test.each(audits)('V40: GraphQL over HTTP with a token, $id: it $name', async ({ fn }) => {
  expect(await fn()).toMatchObject({ status: 'ok' })
})

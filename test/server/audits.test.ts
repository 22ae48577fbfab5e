import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testServer, type TestServer } from './test-server.ts'

let started: TestServer

beforeAll(async () => {
  started = await testServer()
})

afterAll(() => started[Symbol.asyncDispose]())

test.each(serverAudits({ url: () => started.url }))('V2: GraphQL over HTTP, $id: it $name', async ({ fn }) => {
  const result = await fn()
  expect(result).toMatchObject({ status: 'ok' })
})

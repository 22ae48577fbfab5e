import { expect, test } from 'vitest'
import { defaultTabs } from '../../src/server/graphiql/default-tabs.ts'
import { send } from './graphql-client.ts'
import { testServer } from './test-server.ts'

const HTML = { accept: 'text/html,application/xhtml+xml' }

/** The addresses that a page names in its elements. */
const addresses = (html: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)

test('V12: GraphiQL comes from the server alone, under a policy that allows nothing else', async () => {
  await using started = await testServer()
  const page = await send(started.url, { headers: HTML })
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } })
  const policy = String(page.headers['content-security-policy'])
  expect(policy).toMatch(/^default-src 'none'; script-src 'self';/)
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/)
  expect(policy).toContain("frame-ancestors 'none'")
  expect(page.body).not.toMatch(/https?:\/\/|<script>/)
  const files = addresses(page.body).filter((address) => !address.startsWith('data:'))
  expect(files).toEqual(['/graphiql/graphiql.css', '/graphiql/start.js', '/graphiql/graphiql.js'])
  const workers = ['editorWorkerService', 'json', 'graphql'].map((name) => `/graphiql/${name}.js`)
  for (const path of [...files, ...workers]) {
    const file = await send(started.url, { path })
    expect(file).toMatchObject({ status: 200, headers: { 'content-security-policy': policy } })
    expect(file.body.length).toBeGreaterThan(100)
  }
})

test('a browser that has a file of GraphiQL does not get it again', async () => {
  await using started = await testServer()
  const path = '/graphiql/graphiql.css'
  const { headers } = await send(started.url, { path })
  const again = await send(started.url, { path, headers: { 'if-none-match': String(headers['etag']) } })
  expect(again).toMatchObject({ status: 304, body: '' })
})

test('there are no other files beside those of GraphiQL', async () => {
  await using started = await testServer()
  expect(await send(started.url, { path: '/graphiql/../package.json' })).toMatchObject({ status: 404 })
  expect(await send(started.url, { path: '/graphiql/constructor' })).toMatchObject({ status: 404 })
})

test('GraphiQL opens with the example operations', async () => {
  await using started = await testServer()
  const { body } = await send(started.url, { headers: HTML })
  const [, json = '{}'] = /<script type="application\/json" id="options">(.*?)<\/script>/s.exec(body) ?? []
  const options = JSON.parse(json) as { defaultTabs: readonly { query: string }[]; endpoint: string }
  expect(options.endpoint).toBe('/graphql')
  expect(options.defaultTabs).toEqual(defaultTabs())
  expect(options.defaultTabs.length).toBeGreaterThan(2)
})

test('GraphiQL can be switched off', async () => {
  await using started = await testServer({ graphiql: 'off' })
  const page = await send(started.url, { headers: HTML })
  expect(page).toMatchObject({ status: 406, body: '' })
  expect(await send(started.url, { path: '/graphiql/graphiql.js' })).toMatchObject({ status: 404 })
})

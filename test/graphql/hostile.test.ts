import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../support/any-text.ts'
import { World } from '../support/world.ts'
import { Api, at, codesOf } from './api.ts'

/** Texts of every kind that a client could send: surrogates, controls, nothing, 10 kB. */
const hostile = fc.oneof(
  anyText,
  fc.constantFrom('', '\0', '\ud800', '\u202e', 'x'.repeat(10_000), '__proto__', '../../etc/passwd'),
)

test('A5, A6: whatever text is sent, the answer is a value or a refusal with a code, and never a fault', async () => {
  const world = await World.started()
  world.models.onCall = (call) => void call.answer('Hello')
  await world.session('s')
  const api = new Api(world.harness)
  const source = `mutation ($id: ID!, $text: String!, $json: JSON) {
    createSession(input: {
      scopeId: $id, sessionId: $id, generationId: $id, title: $text, clientRequestId: $id, metadata: $json
    }) { __typename }
    enqueuePrompt(input: {
      scopeId: "default", sessionId: "s", text: $text, clientRequestId: $id
      attachments: [{ mediaType: $text, filename: $text, url: $text }], options: { modelHint: $text, system: $text }
    }) { __typename }
    cancelPrompt(input: { scopeId: $id, sessionId: $id, queueId: $id }) { __typename }
    abortRun(input: { scopeId: $id, sessionId: $id, runId: $id }) { __typename }
    respondToPermission(input: { scopeId: $id, permissionId: $id, decision: REJECT, message: $text }) { __typename }
    revokeGrant(input: { scopeId: $id, sessionId: "s", rememberKey: $text }) { __typename }
    succeeded: reconcileToolExecution(input: { scopeId: $id, intentId: $id, outcome: SUCCEEDED, output: $json }) {
      __typename
    }
    failed: reconcileToolExecution(input: { scopeId: $id, intentId: $id, outcome: FAILED, error: $text }) { __typename }
  }`
  const query = `query ($id: ID!, $text: String!) {
    node(id: $id) { id } nodes(ids: [$id, $id]) { id }
    scope(id: $id) {
      session(sessionId: $id) { id }
      sessions(after: $text, filter: { titleContains: $text, agent: $text }) { totalCount }
      events(after: $text, sessionId: $id) { edges { cursor } }
    }
    session(scopeId: $id, sessionId: $id) { messages(runId: $id, before: $text) { edges { cursor } } }
  }`
  await fc.assert(
    fc.asyncProperty(hostile, hostile, fc.jsonValue(), async (id, text, json) => {
      for (const answer of [await api.answer(source, { id, text, json }), await api.answer(query, { id, text })]) {
        for (const code of codesOf(answer)) expect(['VALIDATION_FAILED', 'NOT_FOUND']).toContain(code)
      }
      await world.clock.settle()
    }),
    { numRuns: 60 },
  )
  expect(api.faults).toEqual([])
  expect(
    at(await api.data('{ session(scopeId: "default", sessionId: "s") { status } }'), 'session', 'status'),
  ).toBeDefined()
})

test('A5: a refused prompt stores nothing', async () => {
  const world = await World.started()
  await world.session('s')
  const api = new Api(world.harness)
  const source = `mutation ($text: String!) {
    enqueuePrompt(input: { scopeId: "default", sessionId: "s", text: $text }) { __typename }
  }`
  for (const text of ['', 'a\0', '\ud800', 'x'.repeat(2_000_000)]) {
    expect(at(await api.data(source, { text }), 'enqueuePrompt', '__typename')).toMatch(
      /ValidationError|QueueFullError/,
    )
  }
  expect(await world.types()).toEqual(['session.created'])
})

test('metadata with keys of JavaScript comes back as it was', async () => {
  const world = await World.started()
  const api = new Api(world.harness)
  const metadata = JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"toString":null}') as unknown
  const source = `mutation ($json: JSON) { createSession(input: { scopeId: "default", metadata: $json }) {
    ... on CreateSessionPayload { session { metadata } }
  } }`
  const data = await api.data(source, { json: metadata })
  expect(JSON.stringify(at(data, 'createSession', 'session', 'metadata'))).toBe(JSON.stringify(metadata))
  expect({}).not.toHaveProperty('polluted')
})

test('metadata that is written into the document may use variables', async () => {
  const world = await World.started()
  const api = new Api(world.harness)
  const source = `mutation ($n: Int, $absent: Int) {
    createSession(input: { scopeId: "default", metadata: { a: [1, 2.5, "x", null, $n], b: $absent } }) {
      ... on CreateSessionPayload { session { metadata } }
    }
  }`
  expect(at(await api.data(source, { n: 7 }), 'createSession', 'session', 'metadata')).toEqual({
    a: [1, 2.5, 'x', null, 7],
  })
})

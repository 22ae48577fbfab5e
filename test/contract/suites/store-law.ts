import fc from 'fast-check'
import { expect } from 'vitest'
import { isStreaming } from '../../../src/domain/message/message.ts'
import { type Content, type ContentEvent, evolve } from '../../../src/domain/session/content.ts'
import { decideContent } from '../../../src/domain/session/decide.ts'
import { commitOf } from '../../../src/runtime/commit-of.ts'
import { loadContent } from '../../../src/runtime/load-content.ts'
import { commandOf, commitPlans, type Step } from '../support/content-steps.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { Expected } from '../support/expected-content.ts'
import { newWriteId, openWorld, type World } from '../support/world.ts'

/** Decides the steps one after the other, each on what the one before left. */
function decideSteps(content: Content, steps: readonly Step[], expected: Expected): readonly ContentEvent[] {
  let state = content
  const events: ContentEvent[] = []
  for (const step of steps) {
    const decision = decideContent(state, commandOf(state, step, expected))
    if (decision.kind !== 'accepted') continue
    for (const event of decision.events) {
      expected.add(state, event)
      events.push(event)
      state = evolve(state, event)
    }
  }
  return events
}

async function expectStored({ stores }: World, content: Content, expected: Expected): Promise<void> {
  const { session, run, open } = content
  const { key } = session
  expect(await loadContent(stores, key)).toEqual(content)
  const grants = await stores.permissions.grants([key])
  expect(new Map(grants.map((grant) => [grant.rememberKey, grant]))).toEqual(expected.grants)
  if (run) {
    const streams = open.filter(({ kind }) => kind !== 'tool')
    expect(streams).toHaveLength(expected.texts.size)
    const keys = streams.map(({ partIndex }) => ({ sessionKey: key, index: run.assistantMessageIndex, partIndex }))
    const parts = await stores.messages.findParts(keys)
    const texts = parts.map(({ partIndex, body }) => [partIndex, isStreaming(body) ? body.text : ''] as const)
    expect(new Map(texts)).toEqual(expected.texts)
  }
}

async function expectHistory(
  { stores, scope, reload }: World,
  { session, run }: Content,
  expected: Expected,
): Promise<void> {
  const { key: sessionKey } = session
  const entries = await stores.queue.findMany([...expected.entries.keys()])
  expect(new Map(entries.map((entry) => [entry.queueId, entry]))).toEqual(expected.entries)
  const runs = await stores.runs.pages([{ sessionKey, limit: 500 }])
  const ended = runs.flat().filter(({ state }) => state.kind === 'finished')
  expect(new Map(ended.map((one) => [one.ordinal, one]))).toEqual(expected.ended)
  const [messages = []] = await stores.messages.pages([{ sessionKey, take: 'first', limit: 500 }])
  expect(messages.map(({ index }) => index)).toEqual(Array.from({ length: session.next.message }, (_, i) => i))
  const all = [...expected.ended.values(), ...(run ? [run] : [])]
  const superseded = new Map(all.map((one) => [one.assistantMessageIndex, one.superseded]))
  expect(messages.map((message) => message.superseded)).toEqual(messages.map(({ index }) => superseded.get(index) ?? []))
  const parts = (await stores.messages.parts(messages)).filter(({ finishedAt }) => finishedAt !== null)
  const closed = parts.map(
    ({ messageIndex, partIndex, status, body }) => [`${messageIndex}.${partIndex}`, { status, body }] as const,
  )
  expect(new Map(closed)).toEqual(expected.closed)
  const permissions = await stores.permissions.latest([sessionKey], 500)
  expect(permissions.map(({ ordinal }) => ordinal)).toEqual(permissions.map((_, i) => permissions.length - 1 - i))
  expect(new Map(permissions.map((one) => [one.permissionId, one]))).toEqual(expected.permissions)
  expect(permissions).toHaveLength(session.next.permission)
  const executions = await stores.executions.findMany([...expected.executions.keys()])
  expect(new Map(executions.map((one) => [one.intentId, one]))).toEqual(expected.executions)
  expect(executions).toHaveLength(session.next.execution)
  const log = await stores.log.read(sessionKey, 0, 500)
  expect(log.map(({ body }) => body)).toEqual(expected.log)
  const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 1000 })
  expect(events.map(({ timestamp, body, ...event }) => ({ sessionKey: event.sessionKey, timestamp, body }))).toEqual(expected.drafts)
  expect(events.map(({ sequence }) => sequence)).toEqual(expected.drafts.map((_, i) => i + 1))
  expect((await reload(session)).tree.usage).toEqual(session.usage)
}

async function follow(world: World, plan: readonly (readonly Step[])[]): Promise<void> {
  const { stores } = world
  const { key } = await world.create()
  const expected = new Expected()
  let content = (await loadContent(stores, key))!
  for (const steps of plan) {
    const events = decideSteps(content, steps, expected)
    if (events.length === 0) continue
    const { commit, after } = commitOf(content, events)
    expected.drafts.push(...commit.events)
    await stores.unit.commit(newWriteId(), [commit])
    await expectStored(world, after, expected)
    content = after
  }
  await expectHistory(world, content, expected)
}

export const storeLawSuite = contractSuite('the store law', (test) => {
  test('C9: what is loaded after a commit equals the fold of its events over what was loaded before', async ({
    stores,
  }) => {
    const property = fc.asyncProperty(commitPlans, async (plan) => follow(await openWorld(stores), plan))
    await fc.assert(property, { numRuns: 16 })
  })
})

import { expect, test } from 'vitest'
import { asQueueId, asSessionId } from '../../src/kernel/ids.ts'
import { expectSettled } from '../support/laws.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

/** A world whose model answers each prompt at once. */
async function answering(...options: Parameters<typeof World.started>): Promise<World> {
  const world = await World.started(...options)
  world.models.onCall = (call) => call.answer('ok')
  return world
}

test('Q41: prompts of a session run in order, one at a time', async () => {
  const world = await World.started()
  await world.session()
  for (const text of ['one', 'two', 'three']) ok(await world.enqueue(text))
  await world.clock.settle()
  for (let run = 1; run <= 3; run++) {
    expect(world.models.calls).toHaveLength(run)
    expect((await world.entries()).filter(({ state }) => state.kind === 'running')).toHaveLength(1)
    world.models.last.answer('ok')
    await world.clock.settle()
  }
  const conversation = await world.conversation()
  expect(conversation.flatMap(({ role, parts }) => (role === 'USER' ? parts.map(({ text }) => text) : []))).toEqual([
    'one',
    'two',
    'three',
  ])
})

test('Q40: runs are bounded over all sessions and their turns are fair', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 1 } })
  for (const id of ['a', 'b']) await world.session(id)
  for (const sessionId of ['a', 'a', 'a', 'b']) ok(await world.enqueue(`of ${sessionId}`, { sessionId: sessionId as never }))
  await world.clock.settle()
  const order: string[] = []
  while (order.length < 4) {
    expect(world.models.calls).toHaveLength(order.length + 1)
    order.push(world.models.last.request.sessionId)
    world.models.last.answer('ok')
    await world.clock.settle()
  }
  expect(order).toEqual(['a', 'b', 'a', 'a'])
})

test('Q80: a prompt runs when a slot is free, although the one that waited before it was cancelled', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 1 } })
  for (const id of ['a', 'b']) await world.session(id)
  const [a, b] = [{ sessionId: asSessionId('a') }, { sessionId: asSessionId('b') }]
  await world.prompt('takes the slot', a)
  const { queueId } = await world.prompt('waits for it', b)
  ok(await world.harness.cancelPrompt({ scopeId, ...b, queueId }, caller))
  const entry = await world.prompt('waits in its place', b)
  for (const text of ['of a', 'of b']) {
    world.models.last.answer(text)
    await world.clock.settle()
  }
  await expectSettled(world, [entry], 'b')
  expect(await world.runs('b')).toHaveLength(1)
})

test('Q42: the same client request gives the same entry, also when it is made many times at once', async () => {
  const world = await World.started()
  await world.session()
  const answers = await Promise.all(Array.from({ length: 10 }, () => world.enqueue('once', { clientRequestId: 'r1' })))
  expect(new Set(answers.map((answer) => ok(answer).queueId)).size).toBe(1)
  expect(refusal(await world.enqueue('other', { clientRequestId: 'r1' }))).toBe('VALIDATION_FAILED')
  world.models.last.answer('ok')
  await world.clock.settle()
  expect(ok(await world.enqueue('once', { clientRequestId: 'r1' })).status).toBe('COMPLETED')
  expect(await world.runs()).toHaveLength(1)
  await world.session('t')
  const elsewhere = ok(await world.enqueue('once', { clientRequestId: 'r1', sessionId: 't' as never }))
  expect(answers.map((answer) => ok(answer).queueId)).not.toContain(elsewhere.queueId)
})

test('Q43: limits are refused with QUEUE_FULL and nothing is stored', async () => {
  const limits = { maxOutstandingPromptsPerSession: 2, maxOutstandingPromptBytesPerSession: 100, maxPromptBytes: 60 }
  const world = await World.started({ limits })
  await world.session()
  expect(refusal(await world.enqueue('x'.repeat(61)))).toBe('QUEUE_FULL')
  ok(await world.enqueue('x'.repeat(50)))
  expect(refusal(await world.enqueue('x'.repeat(51)))).toBe('QUEUE_FULL')
  ok(await world.enqueue('x'))
  expect(refusal(await world.enqueue('x'))).toBe('QUEUE_FULL')
  expect(await world.entries()).toHaveLength(2)
  expect((await world.types()).filter((type) => type === 'prompt.queued')).toHaveLength(2)
})

test('Q40, Q43: a prompt that is refused after a slot was taken for it gives the slot back', async () => {
  const world = await World.started({ limits: { maxConcurrentRuns: 1, maxOutstandingPromptBytesPerSession: 10 } })
  await world.session()
  expect(refusal(await world.enqueue('x'.repeat(11)))).toBe('QUEUE_FULL')
  await world.prompt('x')
  expect(world.models.calls).toHaveLength(1)
})

test('Q43: enqueue calls in flight are bounded', async () => {
  const world = await World.started({ limits: { maxAdmissionsInFlight: 2 } })
  await world.session()
  const answers = await Promise.all([1, 2, 3].map(() => world.enqueue('x')))
  expect(answers.map(({ ok: isOk }) => isOk)).toEqual([true, true, false])
  ok(await world.enqueue('x'))
})

test('Q44: a waiting prompt is cancelled without a run; a running one through its run; a finished one is too late', async () => {
  const world = await World.started()
  await world.session()
  const running = await world.prompt('runs')
  const waiting = await world.prompt('waits')
  expect(ok(await world.cancel(waiting.queueId))).toBe(true)
  expect(ok(await world.cancel(waiting.queueId))).toBe(false)
  expect(ok(await world.cancel(running.queueId))).toBe(true)
  await world.clock.settle()
  expect(ok(await world.cancel(running.queueId))).toBe(false)
  expect((await world.entries()).map(({ state }) => state)).toMatchObject([
    { status: 'CANCELLED', runId: null },
    { status: 'CANCELLED', runId: running.runId },
  ])
  expect((await world.load()).work.kind).toBe('idle')
  expect(refusal(await world.cancel(asQueueId('unknown')))).toBe('NOT_FOUND')
})

test('Q44: an entry of another session is not found', async () => {
  const world = await World.started()
  await world.session()
  await world.session('t')
  const { queueId } = await world.prompt('runs')
  const answer = await world.harness.cancelPrompt({ scopeId, sessionId: 't' as never, queueId }, caller)
  expect(refusal(answer)).toBe('NOT_FOUND')
})

test('Q45: REJECT is refused while the session is busy', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('runs', { whenBusy: 'REJECT' })
  expect(refusal(await world.enqueue('no', { whenBusy: 'REJECT' }))).toBe('SESSION_BUSY')
})

test('Q45: INTERRUPT aborts the run and goes before the rest of the queue, the newest first', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('first')
  await world.prompt('waits')
  ok(await world.enqueue('urgent', { whenBusy: 'INTERRUPT' }))
  ok(await world.enqueue('more urgent', { whenBusy: 'INTERRUPT' }))
  for (let run = 0; run < 3; run++) {
    await world.clock.settle()
    world.models.last.answer('ok')
  }
  await world.clock.settle()
  const users = (await world.conversation()).filter(({ role }) => role === 'USER')
  expect(users.map(({ parts }) => parts[0]?.text)).toEqual(['first', 'more urgent', 'urgent', 'waits'])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'CANCELLED' } })
})

test('Q46: a prompt whose scope is refused when it is its turn fails, and the queue goes on', async () => {
  const first = await World.started()
  await first.session()
  await first.prompt('runs')
  await first.prompt('waits')
  let isRefused = true
  const resolver = {
    resolve: async (id: string, principal: string | null) => {
      if (principal === null && isRefused) return undefined
      return { storageKey: id as never, context: undefined }
    },
  }
  const limits = { maxConcurrentRuns: 1 }
  const second = await answering({ stores: first.stores, clock: first.clock, resolver, limits })
  await second.clock.settle()
  expect((await second.entries()).map(({ state }) => state)).toMatchObject([
    { status: 'FAILED', error: { code: 'SCOPE_REFUSED' }, runId: null },
    { status: 'FAILED', error: { code: 'INTERRUPTED' } },
  ])
  isRefused = false
  await second.prompt('next')
  expect((await second.runs()).at(-1)?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

test('Q47: a prompt with several faults is refused with all of them, and nothing is stored', async () => {
  const world = await World.started()
  await world.session()
  const answer = await world.enqueue('a\0b', {
    clientRequestId: '\n',
    attachments: [{ mediaType: 'nonsense', filename: null, url: 'https://example.com/x.png' }],
    options: { maxSteps: 0, budget: { totalTokens: 0, wallClockMs: 1.5, idleMs: -1, dollars: 5 }, haste: 9 } as object,
  })
  if (answer.ok || answer.refusal.code !== 'VALIDATION_FAILED') throw new Error('It was expected to be refused.')
  expect(answer.refusal.issues.map(({ path }) => path.join('.'))).toEqual([
    'text',
    'clientRequestId',
    'options.maxSteps',
    'options.budget.totalTokens',
    'options.budget.wallClockMs',
    'options.budget.idleMs',
    'options.budget.dollars',
    'options.haste',
    'attachments.0.mediaType',
    'attachments.0.url',
  ])
  expect(await world.entries()).toEqual([])
})

import { expect, test } from 'vitest'
import { utf8Length } from '../../src/kernel/text.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const newest = <T>(items: readonly T[]): T | undefined => items.at(-1)

test('R40: a prompt runs to its end, and everything is durable in the order of the spec', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('hello')
  world.models.last.start('reasoning').delta('let me think', 'reasoning').end('reasoning').answer('hi')
  await world.clock.settle()
  expect(await world.types()).toEqual([
    'session.created',
    'prompt.queued',
    'prompt.started',
    'run.started',
    'message.created',
    'message.created',
    'prompt.running',
    'part.created',
    'part.completed',
    'part.created',
    'part.completed',
    'message.updated',
    'message.updated',
    'prompt.finished',
    'run.finished',
  ])
  expect(await world.conversation()).toEqual([
    { role: 'USER', parts: [{ kind: 'text', status: 'COMPLETED', text: 'hello' }] },
    {
      role: 'ASSISTANT',
      parts: [
        { kind: 'reasoning', status: 'COMPLETED', text: 'let me think' },
        { kind: 'text', status: 'COMPLETED', text: 'hi' },
      ],
    },
  ])
  const { work, usage, tree } = await world.load()
  expect(work.kind).toBe('idle')
  expect(usage.totalTokens).toBe(5)
  expect(tree.usage).toEqual(usage)
  expect(newest(await world.runs())).toMatchObject({
    model: { provider: 'test', id: 'manual' },
    steps: 1,
    state: { kind: 'finished', outcome: { status: 'COMPLETED' } },
  })
})

test('R41: whatever a model does, the session takes the next prompt', async () => {
  const misdeeds: readonly ((world: World) => void)[] = [
    (world) => world.models.last.fail(new Error('secret of the provider')),
    (world) => world.models.last.start().delta('half').fail(new Error('secret of the provider')),
    (world) => world.models.last.close(),
    (world) => world.models.last.start().delta('never finished').close(),
    (world) => world.models.last.delta('into nothing'),
    (world) => world.models.last.start().start(),
    (world) => world.models.last.end('nothing'),
    (world) => world.models.last.start('text', '__proto__').delta('x', 'constructor'),
  ]
  const world = await World.started()
  await world.session()
  for (const misdeed of misdeeds) {
    await world.prompt('go')
    misdeed(world)
    await world.clock.advance(1_000)
    expect(newest(await world.runs())?.state).toMatchObject({
      outcome: { status: 'FAILED', error: { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' } },
    })
  }
  await world.prompt('still there?')
  world.models.last.answer('yes')
  await world.clock.settle()
  expect(newest(await world.runs())?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
  expect(JSON.stringify(await world.events())).not.toContain('secret')
})

test('R41: a model that cannot be resolved, or whose stream throws at once, fails its run alone', async () => {
  const world = await World.started()
  await world.session()
  world.models.onResolve = () => Promise.reject(new Error('no such model'))
  await world.prompt('one')
  expect(newest(await world.runs())?.state).toMatchObject({ outcome: { error: { code: 'MODEL_UNAVAILABLE' } } })
  world.models.onResolve = async () => ({
    identity: { provider: 'test', id: 'broken' },
    stream: () => {
      throw new Error('at once')
    },
  })
  await world.prompt('two')
  expect(newest(await world.runs())?.state).toMatchObject({ outcome: { error: { code: 'MODEL_FAILED' } } })
  expect((await world.load()).work.kind).toBe('idle')
})

test('R42: deltas join exactly, never split a code point, and lie between created and completed', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  const text = 'a🎉b\uD83C' // ends in the first half of an emoji
  world.models.last.start().delta(text)
  await world.clock.advance(20)
  world.models.last.delta('\uDF89c').delta('\uD800').delta('d\0').end().finish()
  await world.clock.settle()
  const { deltas } = world
  let joined = ''
  for (const { delta, baseBytes, totalBytes } of deltas) {
    expect(delta.isWellFormed()).toBe(true)
    expect(baseBytes).toBe(utf8Length(joined))
    joined += delta
    expect(totalBytes).toBe(utf8Length(joined))
  }
  expect(joined).toBe('a🎉b🎉c\uFFFDd\uFFFD')
  const [, assistant] = await world.conversation()
  expect(assistant?.parts[0]?.text).toBe(joined)
  const kinds = world.signals.flatMap((signal) =>
    signal.type === 'grown' ? signal.events.map(({ body }) => body.type) : [signal.type],
  )
  const first = kinds.indexOf('delta')
  expect(kinds.indexOf('part.created')).toBeLessThan(first)
  expect(kinds.indexOf('part.completed')).toBeGreaterThan(kinds.lastIndexOf('delta'))
})

test('R42: the first delta goes out at once, later ones at most every 16 ms', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  world.models.last.start().delta('first ')
  await world.clock.settle()
  expect(world.deltas.map(({ delta }) => delta)).toEqual(['first '])
  for (const word of ['a', 'b', 'c']) world.models.last.delta(word)
  await world.clock.advance(15)
  expect(world.deltas).toHaveLength(1)
  await world.clock.advance(1)
  expect(world.deltas.map(({ delta }) => delta)).toEqual(['first ', 'abc'])
})

test('R43: the durable text of a part that streams is at most 500 ms old, though the model falls silent', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  world.models.last.start().delta('one ')
  await world.clock.settle()
  world.models.last.delta('two ')
  await world.clock.advance(500)
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'text', status: 'RUNNING', text: 'one two ' }])
  world.models.last.delta('three')
  await world.clock.advance(500)
  expect((await world.conversation())[1]?.parts[0]?.text).toBe('one two three')
  expect(await world.types()).not.toContain('part.completed')
})

test('R43: a part that has ended is completed durably though the model falls silent', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  world.models.last.start('reasoning').delta('hm', 'reasoning').end('reasoning')
  await world.clock.advance(500)
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'reasoning', status: 'COMPLETED', text: 'hm' }])
})

test.each([
  ['maxTextBytes', 'text', 10],
  ['maxReasoningBytes', 'reasoning', 10],
  ['maxParts', 'text', 2],
] as const)('R44: a run beyond %s fails and keeps what it had', async (limit, kind, value) => {
  const world = await World.started({ limits: { [limit]: value } })
  await world.session()
  await world.prompt('go')
  for (const block of ['a', 'b', 'c']) world.models.last.start(kind, block).delta('12345', block).end(block)
  world.models.last.finish()
  await world.clock.advance(1_000)
  expect((await world.runs())[0]?.state).toMatchObject({
    outcome: { status: 'FAILED', error: { code: 'CALLBACK_OVERFLOW', source: 'harness' } },
  })
  const texts = (await world.conversation())[1]?.parts.map(({ text }) => text).filter(Boolean)
  expect(texts).toEqual(['12345', '12345'])
  await world.prompt('again')
  world.models.last.answer('ok')
  await world.clock.settle()
  expect((await world.load()).work.kind).toBe('idle')
})

test('R45: an abort ends a run at once though the model ignores it, and its late words are ignored', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  world.models.last.start().delta('kept')
  await world.clock.settle()
  const runId = await world.abort()
  expect(runId).toBe((await world.runs())[0]?.runId)
  const { last } = world.models
  expect(last.call.signal.aborted).toBe(true)
  expect(last.wasReturned).toBe(true)
  last.delta(' and more').end().finish()
  await world.clock.advance(1_000)
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'text', status: 'CANCELLED', text: 'kept' }])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'CANCELLED', error: { code: 'ABORTED' } } })
  expect(newest(await world.types())).toBe('run.finished')
  expect(await world.abort()).toBeNull()
})

test('R45: an abort while the model is being resolved ends the run, and a late model is not called', async () => {
  const world = await World.started()
  await world.session()
  const resolution = Promise.withResolvers<never>()
  world.models.onResolve = () => resolution.promise
  await world.prompt('go')
  await world.abort()
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'CANCELLED' } })
  resolution.reject(new Error('late'))
  await world.clock.settle()
  expect((await world.load()).work.kind).toBe('idle')
})

test('R45: an error that a model throws because of the abort does not turn the run into a failed one', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  const { last } = world.models
  last.call.signal.addEventListener('abort', () => last.fail(new Error('aborted by signal')))
  await world.abort()
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'CANCELLED' } })
})

test('R45: asking again to stop what is stopping gets the same answer', async () => {
  const world = await World.started()
  await world.session()
  const { queueId } = await world.prompt('go')
  const target = { scopeId, sessionId: 's' as never }
  const asked = [
    world.harness.abortRun(target, caller),
    world.harness.abortRun(target, caller),
    world.harness.abortRun({ ...target, runId: 'another' as never }, caller),
  ]
  const [aborts, cancelled] = await Promise.all([Promise.all(asked), world.cancel(queueId)])
  const runId = (await world.runs())[0]?.runId
  expect(aborts.map(ok)).toEqual([runId, runId, null])
  expect(ok(cancelled)).toBe(true)
  await world.clock.settle()
  expect(ok(await world.cancel(queueId))).toBe(false)
})

test('R45: abort names a run, and leaves any other and the queue alone', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('one')
  await world.prompt('two')
  const other = await world.harness.abortRun(
    { scopeId: 'default' as never, sessionId: 's' as never, runId: 'another' as never },
    { principal: 'tester' },
  )
  expect(other).toEqual({ ok: true, value: null })
  await world.abort()
  expect((await world.entries()).map(({ state }) => state.kind)).toEqual(['running', 'finished'])
})

test('R49: steps go on while the model asks for it, and no further than the limit of the prompt', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go', { options: { maxSteps: 2 } })
  world.models.last.start().delta('first').end().finish('continue')
  await world.clock.settle()
  expect(world.models.calls).toHaveLength(2)
  expect(world.models.last.call.log.map(({ body }) => body.kind)).toEqual(['input', 'step'])
  world.models.last.start().delta('second').end().finish('continue')
  await world.clock.settle()
  const [run] = await world.runs()
  expect(run).toMatchObject({ steps: 2, usage: { totalTokens: 10 } })
  expect(run?.state).toMatchObject({ outcome: { status: 'FAILED', error: { code: 'BUDGET_EXCEEDED' } } })
})

test('R50: what a run is asked with reaches the model: hint, system, scope context, frozen', async () => {
  const context = { tenant: 'acme' }
  const resolver = { resolve: async () => ({ storageKey: 'default' as never, context }) }
  const world = await World.started({ resolver })
  await world.session()
  await world.prompt('go', { options: { modelHint: 'test:manual', system: 'Be brief.' } })
  const [request] = world.models.requests
  expect(request).toMatchObject({ modelHint: 'test:manual', sessionId: 's', scopeId: 'default' })
  expect(request?.context).toBe(context)
  expect(Object.isFrozen(request)).toBe(true)
  expect(world.models.last.call.system).toBe('Be brief.')
})

test('R51: stopping interrupts runs durably after their grace, keeps the queue and refuses new work', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('runs')
  await world.prompt('waits')
  world.models.last.start().delta('half')
  await world.clock.settle()
  const closing = world.harness.close({ graceMs: 1_000 })
  expect(refusal(await world.enqueue('too late'))).toBe('SHUTTING_DOWN')
  await world.clock.advance(999)
  expect((await world.runs())[0]?.state.kind).toBe('generating')
  await world.clock.advance(1)
  await closing
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'FAILED', error: { code: 'INTERRUPTED' } } })
  expect((await world.conversation())[1]?.parts).toEqual([{ kind: 'text', status: 'FAILED', text: 'half' }])
  expect((await world.entries()).map(({ state }) => state.kind)).toEqual(['queued', 'finished'])
  expect(world.harness.isHealthy).toBe(false)
  await world.harness.close()
})

test('R51: a prompt that is being enqueued while the harness stops is kept and not started', async () => {
  const world = await World.started()
  await world.session()
  const enqueuing = world.enqueue('in flight')
  const closing = world.harness.close({ graceMs: 1_000 })
  expect(ok(await enqueuing).status).toBe('QUEUED')
  await world.clock.advance(2_000)
  await closing
  expect(await world.runs()).toEqual([])
  expect((await world.load()).work.kind).toBe('queued')
})

test('R51: a run that ends within its grace completes', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('runs')
  const closing = world.harness.close({ graceMs: 1_000 })
  await world.clock.advance(10)
  world.models.last.answer('in time')
  await closing
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

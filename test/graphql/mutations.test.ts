import { describe, expect, test } from 'vitest'
import { defaultLimits } from '../../src/domain/limits.ts'
import { tester, World } from '../support/world.ts'
import { Api, at } from './api.ts'

const create = `mutation ($input: CreateSessionInput!) { createSession(input: $input) {
  __typename
  ... on CreateSessionPayload {
    session { id sessionId title metadata createdBy depth generation { generationSequence } }
  }
  ... on Error { code message }
  ... on ValidationError { issues { path message } }
} }`

const enqueue = `mutation ($input: EnqueuePromptInput!) { enqueuePrompt(input: $input) {
  __typename
  ... on EnqueuePromptPayload { entry {
    queueId status runId clientRequestId createdBy session { sessionId } ...Asked run { phase entry { queueId } ...Granted }
  } }
  ... on Error { code message }
  ... on ValidationError { issues { path message } }
  ... on QueueFullError { limit }
} }
fragment Asked on QueueEntry { budget { totalTokens wallClockMs idleMs } }
fragment Granted on Run { workedMs budget { totalTokens wallClockMs idleMs } }`

const cancel = `mutation ($input: CancelPromptInput!) { cancelPrompt(input: $input) {
  __typename ... on CancelPromptPayload { cancelled } ... on Error { code message }
} }`

const abort = `mutation ($input: AbortRunInput!) { abortRun(input: $input) {
  __typename ... on AbortRunPayload { aborted runId } ... on Error { code message }
} }`

const to = { scopeId: 'default', sessionId: 's' }

async function prepared(options: ConstructorParameters<typeof World>[0] = {}) {
  const world = await World.started(options)
  const api = new Api(world.harness)
  const run = async (source: string, input: Record<string, unknown>) =>
    Object.values(await api.data(source, { input }))[0]
  await run(create, { ...to, title: 'First', metadata: { team: 'blue' } })
  return { world, api, run }
}

describe('what mutations do', () => {
  test('a session is created and read back', async () => {
    const { api, run } = await prepared()
    expect(await run(create, { scopeId: 'default', metadata: { a: [1, null, { b: 'ü' }] } })).toMatchObject({
      __typename: 'CreateSessionPayload',
      session: {
        title: null,
        metadata: { a: [1, null, { b: 'ü' }] },
        createdBy: 'tester',
        depth: 0,
        generation: { generationSequence: 2 },
      },
    })
    const data = await api.data('{ session(scopeId: "default", sessionId: "s") { title metadata id } }')
    expect(at(data, 'session')).toEqual({ title: 'First', metadata: { team: 'blue' }, id: 'Session:default/s' })
  })

  test('a prompt is enqueued, cancelled and aborted', async () => {
    const { run } = await prepared()
    const first = await run(enqueue, { ...to, text: 'one', clientRequestId: 'r1' })
    expect(first).toMatchObject({
      __typename: 'EnqueuePromptPayload',
      entry: { status: 'STARTED', clientRequestId: 'r1', createdBy: 'tester', session: { sessionId: 's' } },
    })
    expect(at(first, 'entry', 'run', 'entry', 'queueId')).toBe(at(first, 'entry', 'queueId'))
    const second = await run(enqueue, { ...to, text: 'two' })
    expect(at(second, 'entry')).toMatchObject({ status: 'QUEUED', runId: null, run: null })
    const cancelled = await run(cancel, { ...to, queueId: at(second, 'entry', 'queueId') })
    expect(cancelled).toEqual({ __typename: 'CancelPromptPayload', cancelled: true })
    expect(await run(abort, { ...to, runId: 'another' })).toMatchObject({ aborted: false, runId: null })
    expect(await run(abort, to)).toMatchObject({ aborted: true, runId: at(first, 'entry', 'runId') })
  })

  test('R103: the budget of a prompt is shown with its entry and its run; of one without limits there is none', async () => {
    const { run } = await prepared()
    const budget = { totalTokens: 10 ** 12, wallClockMs: 2_500_000_000 }
    const first = await run(enqueue, { ...to, text: 'one', options: { budget } })
    const shown = { ...budget, idleMs: null }
    expect(at(first, 'entry')).toMatchObject({ budget: shown, run: { budget: shown, workedMs: 0 } })
    for (const none of [null, {}, { idleMs: null }]) {
      expect(at(await run(enqueue, { ...to, text: 'two', options: { budget: none } }), 'entry', 'budget')).toBeNull()
    }
    const waiting = await run(enqueue, { ...to, text: 'three', options: { budget: { idleMs: 7 } } })
    expect(at(waiting, 'entry')).toMatchObject({ status: 'QUEUED', budget: { totalTokens: null, wallClockMs: null, idleMs: 7 } })
  })

  test('R103: a run that has used up its budget says so', async () => {
    const { world, api, run } = await prepared()
    await run(enqueue, { ...to, text: 'one', options: { budget: { totalTokens: 5, wallClockMs: 60_000 } } })
    await world.clock.advance(1_234)
    world.models.last.start().delta('So far').end().finish('continue')
    await world.clock.settle()
    const data = await api.data(`{ session(scopeId: "default", sessionId: "s") { queue { status error { code } run {
      status workedMs usage { totalTokens } error { code message source }
    } } } }`)
    const message = 'The run used 5 of its 5 tokens.'
    expect(at(data, 'session', 'queue', 0)).toEqual({
      status: 'FAILED',
      error: { code: 'BUDGET_EXCEEDED' },
      run: {
        status: 'FAILED',
        workedMs: 1_234,
        usage: { totalTokens: 5 },
        error: { code: 'BUDGET_EXCEEDED', message, source: 'harness' },
      },
    })
  })

  test('a request that is repeated gives the same answer', async () => {
    const { run } = await prepared()
    const input = { ...to, text: 'one', clientRequestId: 'r1', attachments: null, options: null, whenBusy: null }
    const first = await run(enqueue, input)
    expect(at(await run(enqueue, input), 'entry', 'queueId')).toBe(at(first, 'entry', 'queueId'))
    expect(await run(enqueue, { ...input, text: 'two' })).toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  test('mutations of one document each read what the one before has done', async () => {
    const { api } = await prepared()
    const data = await api.data(`mutation {
      a: enqueuePrompt(input: { scopeId: "default", sessionId: "s", text: "one" }) { ...E }
      b: enqueuePrompt(input: { scopeId: "default", sessionId: "s", text: "two" }) { ...E }
    } fragment E on EnqueuePromptPayload { entry { session { queue { status } } } }`)
    expect(at(data, 'a', 'entry', 'session', 'queue')).toHaveLength(1)
    expect(at(data, 'b', 'entry', 'session', 'queue')).toHaveLength(2)
  })
})

describe('what a mutation can meet is a typed member of its union', () => {
  test('A5: ValidationError, with every field that breaks a rule', async () => {
    const { run } = await prepared()
    const refused = await run(enqueue, {
      scopeId: '',
      sessionId: 'x'.repeat(513),
      text: 'a\0b',
      attachments: [
        { mediaType: 'image/png', url: 'data:,x' },
        { mediaType: 'nonsense', filename: 'a\nb', url: 'https://example.com/a.png' },
      ],
      options: { maxSteps: 0, modelHint: '', system: '\ud800', budget: { totalTokens: 0, wallClockMs: 10 ** 10, idleMs: -1 } },
      clientRequestId: '\u0007',
    })
    expect(refused).toMatchObject({ __typename: 'ValidationError', code: 'VALIDATION_FAILED' })
    const issues = at(refused, 'issues') as { path: string[]; message: string }[]
    expect(issues.map(({ path }) => path.join('.')).toSorted()).toEqual([
      'input.attachments.1.filename',
      'input.attachments.1.mediaType',
      'input.attachments.1.url',
      'input.clientRequestId',
      'input.options.budget.idleMs',
      'input.options.budget.totalTokens',
      'input.options.budget.wallClockMs',
      'input.options.maxSteps',
      'input.options.modelHint',
      'input.options.system',
      'input.scopeId',
      'input.sessionId',
      'input.text',
    ])
    expect(issues.every(({ message }) => /^must (not )?/.test(message))).toBe(true)
    expect(at(refused, 'message')).toContain('input.sessionId: must have at most 512 UTF-8 bytes: it has 513')
  })

  test.each([
    ['metadata that is no object', { metadata: [1] }, 'metadata'],
    ['metadata that is too large', { metadata: { a: 'x'.repeat(17_000) } }, 'metadata'],
    ['metadata that is nested too deeply', { metadata: nested(40) }, 'metadata'],
    ['metadata that is nested without end', { metadata: nested(100_000) }, 'metadata'],
    ['a title that is too long', { title: 'ä'.repeat(600) }, 'title'],
    ['an id that exists', { sessionId: 's' }, 'sessionId'],
    ['an id of 10 kB', { sessionId: 'x'.repeat(10_000) }, 'sessionId'],
    ['a control character', { generationId: 'a\u0085b' }, 'generationId'],
  ])('A5: ValidationError for %s', async (_what, input, field) => {
    const { world, run } = await prepared()
    const refused = await run(create, { scopeId: 'default', ...input })
    expect(refused).toMatchObject({ __typename: 'ValidationError', issues: [{ path: ['input', field] }] })
    expect(await world.types()).toEqual(['session.created'])
  })

  test('A5: ValidationError for more attachments than may be', async () => {
    const { run } = await prepared()
    const attachments = Array.from({ length: 65 }, () => ({ mediaType: 'a/b', url: 'data:,x' }))
    const refused = await run(enqueue, { ...to, text: 'x', attachments })
    expect(at(refused, 'issues')).toEqual([{ path: ['input', 'attachments'], message: 'must have at most 64 items' }])
  })

  test('A5: NotFoundError for a scope, a session and a queue entry that do not exist', async () => {
    const { run } = await prepared({
      resolver: {
        resolve: async (id) => (id === 'hidden' ? undefined : { storageKey: id as never, context: undefined }),
      },
    })
    const missing = { code: 'NOT_FOUND', __typename: 'NotFoundError' }
    expect(await run(create, { scopeId: 'hidden' })).toMatchObject(missing)
    expect(await run(enqueue, { ...to, scopeId: 'empty', text: 'x' })).toMatchObject(missing)
    expect(await run(enqueue, { ...to, sessionId: 'nobody', text: 'x' })).toMatchObject(missing)
    expect(await run(cancel, { ...to, queueId: 'none' })).toMatchObject(missing)
    expect(await run(abort, { ...to, sessionId: 'nobody' })).toMatchObject(missing)
  })

  test('A5: SessionBusyError', async () => {
    const { run } = await prepared()
    await run(enqueue, { ...to, text: 'one' })
    const refused = await run(enqueue, { ...to, text: 'two', whenBusy: 'REJECT' })
    expect(refused).toMatchObject({ __typename: 'SessionBusyError', code: 'SESSION_BUSY' })
  })

  test('A5: QueueFullError, with the limit', async () => {
    const { run } = await prepared({ limits: { maxOutstandingPromptsPerSession: 1 } })
    await run(enqueue, { ...to, text: 'one' })
    expect(await run(enqueue, { ...to, text: 'two' })).toMatchObject({ __typename: 'QueueFullError', limit: 1 })
    const tooLong = await run(enqueue, { ...to, text: 'x'.repeat(defaultLimits.maxPromptBytes + 1) })
    expect(tooLong).toMatchObject({ __typename: 'QueueFullError', limit: defaultLimits.maxPromptBytes })
  })

  test('A5: ShuttingDownError', async () => {
    const { world, run } = await prepared()
    await world.harness.close({ graceMs: 0 })
    expect(await run(create, { scopeId: 'default' })).toMatchObject({ __typename: 'ShuttingDownError' })
  })

  test('A5: ForbiddenError for a caller who may only read', async () => {
    const { world } = await prepared()
    const reader = new Api(world.harness, { ...tester, role: 'VIEWER' })
    for (const [source, input] of [
      [create, { scopeId: 'default' }],
      [enqueue, { ...to, text: 'x' }],
      [cancel, { ...to, queueId: 'q' }],
      [abort, to],
    ] as const) {
      const [refused] = Object.values(await reader.data(source, { input }))
      expect(refused).toMatchObject({ __typename: 'ForbiddenError', code: 'FORBIDDEN' })
    }
  })
})

function nested(levels: number): object {
  let inner: object = {}
  for (let i = 0; i < levels; i++) inner = { a: inner }
  return inner
}

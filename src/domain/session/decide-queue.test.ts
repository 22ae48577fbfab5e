import { expect, test } from 'vitest'
import {
  abort,
  admit,
  AT,
  begin,
  cancel,
  conclude,
  emptyContent,
  enqueue,
  given,
  type Outcome,
  outcomeOf,
  promptOf,
  reject,
  requestBy,
  resolve,
  runOf,
} from '../../../test/support/content.ts'
import { asQueueId, asSessionId, asSessionKey } from '../../kernel/ids.ts'
import { defaultLimits } from '../limits.ts'
import { abortOf } from '../run/run.ts'
import { statusOf } from './session.ts'

const interrupt = (queueId: string, at?: number) => enqueue(queueId, { whenBusy: 'INTERRUPT', ...(at && { at }) })
const kinds = ({ events }: Outcome) => events.map(({ type }) => type)
const waiting = ({ after }: Outcome) => after.entries.map(({ queueId }) => queueId)

test('Q1: prompts wait in the order in which they were enqueued', () => {
  const outcome = given(enqueue('a'), enqueue('b')).when(enqueue('c'))
  expect([kinds(outcome), waiting(outcome)]).toEqual([['entryQueued', 'workChanged'], ['a', 'b', 'c']])
})

test('Q1: prompts that interrupt wait before the rest, the newest first, also when nothing runs', () => {
  expect(waiting(given(enqueue('a'), interrupt('b'), enqueue('c'), interrupt('d')).when(enqueue('e')))).toEqual(
    ['d', 'b', 'a', 'c', 'e'],
  )
})

test('Q9: a new entry holds what was asked, and takes the next ordinal', () => {
  const { after } = given(enqueue('a')).when(
    enqueue('b', { bytes: 17, clientRequestId: 'request', by: 'bob', at: 1234, whenBusy: 'INTERRUPT' }),
  )
  expect(after.entries[0]).toEqual({
    sessionKey: after.session.key,
    ordinal: 1,
    queueId: 'b',
    rank: -2,
    bytes: 17,
    whenBusy: 'INTERRUPT',
    budget: null,
    scopeId: 'tenant',
    clientRequestId: 'request',
    delegation: null,
    createdBy: 'bob',
    createdAt: 1234,
    state: { kind: 'queued' },
  })
})

test('G51: the session of a subagent takes prompts from the call that delegates to it, and from nobody else', () => {
  const { session } = emptyContent
  const child = { ...emptyContent, session: { ...session, place: { ...session.place, agent: 'writer' } } }
  const parentGeneration = session.generation
  const delegation = {
    parentKey: asSessionKey(7),
    parentSessionId: asSessionId('parent'),
    parentGeneration,
    parentQueueId: asQueueId('p'),
    parentRunId: runOf('p'),
    toolCallId: 'call',
  }
  expect(outcomeOf(child, [enqueue('a')]).answer).toBe('VALIDATION_FAILED')
  expect(outcomeOf(child, [enqueue('a', { delegation })]).after.entries).toMatchObject([{ delegation }])
})

test('Q2: a session holds as many unfinished prompts as it may, the running one included, and refuses one more', () => {
  const limits = { ...defaultLimits, maxOutstandingPromptsPerSession: 2 }
  const first = [enqueue('a', { limits }), admit('a')]
  expect(given(...first).when(enqueue('b', { limits })).answer).toBe('accepted')
  const { decision, after, before } = given(...first, enqueue('b', { limits })).when(enqueue('c', { limits }))
  expect(decision).toMatchObject({ kind: 'refused', refusal: { code: 'QUEUE_FULL', limit: 2 } })
  expect(after).toBe(before)
  expect(given(...first, enqueue('b', { limits }), conclude()).when(enqueue('c', { limits })).answer).toBe('accepted')
})

test('Q2: a session holds as many bytes of unfinished prompts as the limit says, and refuses one more', () => {
  const limits = { ...defaultLimits, maxOutstandingPromptBytesPerSession: 10 }
  const first = enqueue('a', { limits, bytes: 4 })
  expect(given(first).when(enqueue('b', { limits, bytes: 6 })).answer).toBe('accepted')
  expect(given(first).when(enqueue('b', { limits, bytes: 7 })).decision).toEqual({
    kind: 'refused',
    refusal: {
      code: 'QUEUE_FULL',
      message:
        'The session holds at most 10 bytes of prompts that have not finished. Wait until one has, or cancel one.',
      limit: 10,
    },
  })
  expect(given(first, cancel('a')).when(enqueue('b', { limits, bytes: 10 })).answer).toBe('accepted')
})

test('Q3: a prompt that is not to wait is refused by a busy session and taken by an idle one', () => {
  const prompt = enqueue('b', { whenBusy: 'REJECT' })
  expect(given(enqueue('a')).when(prompt).answer).toBe('SESSION_BUSY')
  expect(given(enqueue('a'), admit('a')).when(prompt).answer).toBe('SESSION_BUSY')
  expect(given().when(prompt).answer).toBe('accepted')
  expect(given(enqueue('a'), admit('a'), conclude()).when(prompt).answer).toBe('accepted')
})

test('Q4: a prompt that interrupts aborts the run that is active, and nothing when none is', () => {
  const { after } = given(enqueue('a'), admit('a')).when(enqueue('b', { whenBusy: 'INTERRUPT', by: 'bob', at: 1234 }))
  expect(after.run && abortOf(after.run)).toEqual({
    kind: 'superseded',
    message: 'A prompt interrupted the run.',
    by: 'bob',
    at: 1234,
  })
  expect(kinds(given(enqueue('a')).when(interrupt('b')))).toEqual(['entryQueued', 'workChanged'])
})

test('Q4: a run that is being aborted keeps its first reason when a prompt interrupts', () => {
  const outcome = given(enqueue('a'), admit('a'), abort()).when(interrupt('b'))
  expect(kinds(outcome)).toEqual(['entryQueued', 'workChanged'])
  expect(outcome.after.run && abortOf(outcome.after.run)).toEqual(requestBy('bob'))
})

test('Q15: only the first of the waiting prompts is admitted', () => {
  expect(given(enqueue('a'), enqueue('b')).when(admit('b')).answer).toBe('unchanged')
  expect(given(enqueue('a')).when(admit('unknown')).answer).toBe('unchanged')
  expect(given().when(admit('a')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a')).when(admit('a')).answer).toBe('unchanged')
  expect(given(enqueue('a'), interrupt('b')).when(admit('b')).answer).toBe('accepted')
})

test('R2: no prompt is admitted while a run is live', () => {
  expect(given(enqueue('a'), admit('a'), enqueue('b')).when(admit('b')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), interrupt('b')).when(admit('b')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), enqueue('b'), conclude()).when(admit('b')).answer).toBe('accepted')
})

test('R103: a prompt’s budget is that of its entry and of its run', () => {
  const budget = { totalTokens: 5, wallClockMs: null, idleMs: 7 }
  const prompt = { ...promptOf('a'), options: { ...promptOf('a').options, budget } }
  const { after } = given(enqueue('a', { prompt })).when(admit('a', 1234, prompt))
  expect([after.entries[0]?.budget, after.run?.budget]).toEqual([budget, budget])
  const [told] = given().when(enqueue('a', { prompt })).announced
  expect(told?.body).toMatchObject({ type: 'prompt.queued', entry: { budget } })
})

test('R6: an admission starts the entry, the run with the next epoch, both messages and the log, as one change', () => {
  const outcome = given(enqueue('a'), admit('a'), conclude(), enqueue('b')).when(admit('b', 1234))
  expect(kinds(outcome)).toEqual([
    'workChanged',
    'entryChanged',
    'runAdmitted',
    'messageCreated',
    'messageCreated',
    'logged',
  ])
  const { session, entries, run, open } = outcome.after
  expect(run).toEqual({
    sessionKey: session.key,
    ordinal: 1,
    runId: runOf('b'),
    queueId: 'b',
    generationId: 'the generation',
    epoch: 2,
    scopeId: 'tenant',
    startedAt: 1234,
    userMessageIndex: 2,
    assistantMessageIndex: 3,
    model: null,
    steps: 0,
    usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0, reasoningTokens: 0, cachedInputTokens: 0 },
    budget: null,
    workedMs: 0,
    partCount: 0,
    attempts: 1,
    owner: 'a server',
    stepFrom: 0,
    superseded: [],
    state: { kind: 'resolving', aborting: null },
  })
  expect(session).toMatchObject({
    epoch: 2,
    owner: 'a server',
    next: { entry: 2, run: 2, message: 4, log: 3 },
    work: { kind: 'running', since: 1234, runId: runOf('b'), run: 1, doing: 'THINKING' },
  })
  expect(entries.map(({ state }) => state)).toEqual([{ kind: 'started', runId: runOf('b'), startedAt: 1234 }])
  expect(open).toEqual([])
})

test('M4: the user message of a run holds the prompt’s text and attachments, complete from the beginning', () => {
  const attachment = { mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,AA==' }
  const prompt = { ...promptOf('look'), attachments: [attachment] }
  const { events } = given(enqueue('a', { prompt })).when(admit('a', AT, prompt))
  const at = { sessionKey: 1, startedAt: 1000, finishedAt: 1000, status: 'COMPLETED', messageIndex: 0 }
  const message = { sessionKey: 1, runId: runOf('a'), createdAt: 1000, updatedAt: 1000 }
  expect(events.slice(3)).toMatchObject([
    {
      message: { ...message, index: 0, messageId: `${runOf('a')}.0`, role: 'USER' },
      parts: [
        { ...at, partIndex: 0, partId: `${runOf('a')}.0.0`, body: { kind: 'text', text: 'look' } },
        { ...at, partIndex: 1, partId: `${runOf('a')}.0.1`, body: { kind: 'attachment', ...attachment } },
      ],
    },
    { message: { ...message, index: 1, messageId: `${runOf('a')}.1`, role: 'ASSISTANT' }, parts: [] },
    { type: 'logged', at: 1000, body: { kind: 'input', text: 'look', attachments: [attachment] } },
  ])
})

test('Q6: a waiting prompt that is cancelled leaves the queue, and the rest stays', () => {
  const outcome = given(enqueue('a'), enqueue('b'), enqueue('c')).when(cancel('b', 1234))
  expect([kinds(outcome), waiting(outcome)]).toEqual([['entryChanged'], ['a', 'c']])
  const error = { code: 'ABORTED', message: 'Enough.', source: 'harness' }
  const event = { type: 'finished', outcome: { status: 'CANCELLED', error }, at: 1234 }
  expect(outcome.events).toMatchObject([{ event }])
})

test('Q6: cancelling a prompt that has started aborts its run', () => {
  for (const steps of [[], [begin()], [begin(), resolve()]]) {
    const outcome = given(enqueue('a'), admit('a'), ...steps).when(cancel('a'))
    expect([kinds(outcome), waiting(outcome)]).toEqual([['runChanged'], ['a']])
    expect(outcome.after.run && abortOf(outcome.after.run)).toEqual(requestBy('bob'))
  }
})

test('Q6: cancelling is too late when the prompt has finished or its run is being aborted', () => {
  expect(given(enqueue('a'), cancel('a')).when(cancel('a')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), conclude()).when(cancel('a')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), cancel('a')).when(cancel('a')).answer).toBe('unchanged')
  expect(given(enqueue('a')).when(cancel('unknown')).answer).toBe('unchanged')
})

test('Q7: a waiting prompt that cannot be run fails, and one that has started or finished does not', () => {
  const outcome = given(enqueue('a'), enqueue('b')).when(reject('a', 1234))
  expect(waiting(outcome)).toEqual(['b'])
  const error = { code: 'SCOPE_REFUSED', message: 'The scope is refused.', source: 'scopeResolver' }
  const event = { type: 'finished', outcome: { status: 'FAILED', error }, at: 1234 }
  expect(outcome.events).toMatchObject([{ event }])
  expect(given(enqueue('a'), admit('a')).when(reject('a')).answer).toBe('unchanged')
  expect(given(enqueue('a'), reject('a')).when(reject('a')).answer).toBe('unchanged')
})

test('Q8: a session is idle again when its last prompt was cancelled or rejected', () => {
  for (const end of [cancel, reject]) {
    expect(statusOf(given(enqueue('a'), enqueue('b')).when(end('a')).after.session)).toBe('BUSY')
    const { after } = given(enqueue('a')).when(end('a', 1234))
    expect(after.session.work).toEqual({ kind: 'idle', since: 1234 })
  }
})

test('R10: an abort stops the run it names, or the active one when it names none', () => {
  const { content } = given(enqueue('a'), admit('a'), enqueue('b'))
  for (const asked of [abort('a'), abort()]) {
    const { after } = given(enqueue('a'), admit('a'), enqueue('b')).when(asked)
    const state = { kind: 'resolving', aborting: requestBy('bob') }
    expect(after).toEqual({ ...content, run: { ...content.run, state } })
  }
})

test('R10: an abort changes nothing when another run or none is active, or when the run is being aborted', () => {
  expect(given(enqueue('a'), admit('a')).when(abort('b')).answer).toBe('unchanged')
  expect(given(enqueue('a')).when(abort('a')).answer).toBe('unchanged')
  expect(given(enqueue('a')).when(abort()).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), abort()).when(abort('a', 'carl')).answer).toBe('unchanged')
  expect(given(enqueue('a'), admit('a'), conclude()).when(abort()).answer).toBe('unchanged')
})

test('Q10: a session’s activity is news when a prompt is queued or cancelled and when a run begins or ends', () => {
  const last = (outcome: Outcome) => outcome.after.session.updatedAt
  expect(last(given().when(enqueue('a', { at: 2000 })))).toBe(2000)
  expect(last(given(enqueue('a'), admit('a')).when(enqueue('b', { at: 2000 })))).toBe(2000)
  expect(last(given(enqueue('a')).when(admit('a', 2000)))).toBe(2000)
  expect(last(given(enqueue('a')).when(cancel('a', 2000)))).toBe(2000)
  expect(last(given(enqueue('a'), enqueue('b')).when(cancel('b', 2000)))).toBe(2000)
  expect(last(given(enqueue('a'), admit('a'), enqueue('b')).when(reject('b', 2000)))).toBe(2000)
  expect(last(given(enqueue('a'), admit('a')).when(conclude(undefined, {}, 2000)))).toBe(2000)
})

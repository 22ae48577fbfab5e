import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { offlineIdentity, offlineModel } from '../../src/agent/offline-model.ts'
import { sdkModel } from '../../src/agent/sdk-model.ts'
import type { LogBody } from '../../src/domain/log/entry.ts'
import type { StepPart } from '../../src/ports/model.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { callOf, finishOf, input, logOf, type Step, stepOf, textOf } from './step.ts'

const offline = (clock = systemClock) => sdkModel(offlineIdentity, offlineModel(clock))
const ask = (prompt: string): Promise<Step> => stepOf(offline(), callOf(prompt))
const deltas = ({ parts }: Step) => parts.flatMap((part) => (part.type === 'delta' ? [part.text] : []))
const kinds = ({ parts }: Step) => parts.flatMap((part) => (part.type === 'start' ? [part.kind] : []))

const accepted: LogBody = { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null }

const failed: LogBody = {
  kind: 'outcome',
  outcome: 'REJECTED',
  status: 'FAILED',
  error: { code: 'MODEL_FAILED', message: 'The model call failed.', source: 'model' },
}

/** Has a conversation of these prompts; gives the last step. */
async function converse(...prompts: readonly string[]): Promise<Step> {
  const bodies: LogBody[] = []
  let step: Step = { parts: [], thrown: undefined }
  for (const prompt of prompts) {
    bodies.push(input(prompt))
    step = await stepOf(offline(), callOf('', { log: logOf(...bodies) }))
    const output = finishOf(step)?.output
    if (output) bodies.push({ kind: 'step', output }, accepted)
    else bodies.push(failed)
  }
  return step
}

describe('understands', () => {
  test('anything else: says what it is, what it was asked and what it understands', async () => {
    const step = await ask('is there a god?')
    expect(textOf(step)).toMatch(/^I am the offline model/)
    expect(textOf(step)).toContain('"is there a god?"')
    expect(textOf(step)).toMatch(
      /list files \[in DIR\], .*think about X, count to N \[slowly\], .*fail with MESSAGE, what did I say\.$/,
    )
    expect(deltas(step).length).toBeGreaterThan(20)
    expect(finishOf(step)?.reason).toBe('stop')
  })

  test('a long question: repeats its beginning', async () => {
    const step = await ask('ü'.repeat(300_000))
    expect(textOf(step)).toContain(`"${'ü'.repeat(100)}…"`)
  })

  test('think: a block of reasoning, then a text', async () => {
    const step = await ask('think about cats')
    expect(kinds(step)).toEqual(['reasoning', 'text'])
    expect(textOf(step, 'reasoning')).toContain('"cats"')
    expect(textOf(step)).toContain('offline model')
    expect(finishOf(step)?.usage.reasoningTokens).toBeGreaterThan(0)
  })

  test('count: one delta per number', async () => {
    expect(deltas(await ask('count to 12'))).toEqual(['1', ...Array.from({ length: 11 }, (_, at) => ` ${at + 2}`)])
  })

  test.each([0, 100_001, '9'.repeat(400)])('count to %s: says how far it counts', async (number) => {
    const step = await ask(`count to ${number}`)
    expect(textOf(step)).toBe('I am the offline model: I count to at least 1 and at most 100000.')
  })

  test('wait: says so, waits that long, goes on', async () => {
    const clock = virtualClock()
    const seen: StepPart[] = []
    const reading = (async () => {
      for await (const part of offline(clock).stream(callOf('wait 2.5 seconds then count to 1'))) seen.push(part)
    })()
    await clock.advance(2_499)
    expect(textOf({ parts: seen })).toBe('The offline model waits 2.5 seconds')
    await clock.advance(1)
    await reading
    expect(textOf({ parts: seen })).toBe('The offline model waits 2.5 seconds and goes on.1')
  })

  test('wait too long: says how long it waits', async () => {
    expect(textOf(await ask('wait 3601 seconds'))).toContain('at most 3600 seconds')
  })

  test('slowly: one number each 50 ms', async () => {
    const clock = virtualClock()
    const at: number[] = []
    const reading = (async () => {
      for await (const part of offline(clock).stream(callOf('count to 4 slowly'))) {
        if (part.type === 'delta') at.push(clock.monotonic())
      }
    })()
    await clock.advance(1_000)
    await reading
    expect(at).toEqual([0, 50, 100, 150])
  })

  test('fail: throws the message, after what came before', async () => {
    const step = await ask('count to 3 then fail with a loud bang then count to 2')
    expect(step.thrown).toEqual(new Error('a loud bang'))
    expect(textOf(step)).toBe('1 2 3')
    expect(finishOf(step)).toBeUndefined()
  })

  test('several phrases: each is answered in blocks of its own', async () => {
    const step = await ask('count to 2 then think about it then count to 3')
    expect(kinds(step)).toEqual(['text', 'reasoning', 'text', 'text'])
  })

  test('what did I say: the facts first, then what was said, of the whole conversation', async () => {
    const said = ['remember the milk', 'count to 2', 'fail with a bang']
    const step = await converse(...said, 'remember tea then what did I say?')
    expect(textOf(step).split('\n').slice(1)).toEqual([
      'You asked me to remember:',
      '- "the milk"',
      '- "tea"',
      'You said:',
      ...said.map((text) => `- "${text}"`),
    ])
  })

  test('what did I say, at the beginning: nothing', async () => {
    expect(textOf(await ask('what did I say'))).toContain('the first thing')
  })
})

test('G9: the same conversation gives the same answer, deltas, usage and all', async () => {
  const phrase = fc.oneof(
    fc.constantFrom('think about it', 'count to 7', 'remember me', 'what did I say', 'fail with it', 'wait 0 seconds'),
    fc.string(),
  )
  const prompt = fc.array(phrase, { minLength: 1, maxLength: 3 }).map((phrases) => phrases.join(' then '))
  await fc.assert(
    fc.asyncProperty(fc.array(prompt, { minLength: 1, maxLength: 3 }), async (prompts) => {
      const [first, second] = [await converse(...prompts), await converse(...prompts)]
      expect(first).toEqual(second)
      const bytes = Buffer.byteLength(textOf(first))
      const thought = Buffer.byteLength(textOf(first, 'reasoning'))
      const counted = Math.ceil(bytes / 4) + Math.ceil(thought / 4)
      expect(finishOf(first)?.usage.outputTokens).toBe(first.thrown === undefined ? counted : undefined)
    }),
    { numRuns: 25 },
  )
})

test('G9: input tokens are a fourth of the bytes of the context', async () => {
  const step = await stepOf(offline(), callOf('12345678', { system: '1234' }))
  expect(finishOf(step)?.usage.inputTokens).toBe(3)
})

test('G3: an abort ends a wait at once and leaves no timer', async () => {
  const clock = virtualClock()
  const stop = new AbortController()
  const reason = new Error('enough')
  const step = stepOf(offline(clock), callOf('wait 3600 seconds', { signal: stop.signal }))
  await clock.settle()
  expect(clock.pending).toBe(1)
  stop.abort(reason)
  expect((await step).thrown).toBe(reason)
  await clock.settle()
  expect(clock.pending).toBe(0)
})

test('G3: a reader that goes away ends a wait', async () => {
  const clock = virtualClock()
  const iterator = offline(clock).stream(callOf('wait 3600 seconds'))[Symbol.asyncIterator]()
  for (let part = 0; part < 6; part++) await iterator.next()
  await clock.settle()
  expect(clock.pending).toBe(1)
  await iterator.return?.()
  await clock.settle()
  expect(clock.pending).toBe(0)
})

test('a stream that is let go without an abort ends a wait as well', async () => {
  const clock = virtualClock()
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'wait 3600 seconds' }] }]
  const { stream } = await offlineModel(clock).doStream({ prompt })
  const reader = stream.getReader()
  for (let part = 0; part < 8; part++) await reader.read()
  const waiting = reader.read()
  await clock.settle()
  expect(clock.pending).toBe(1)
  await reader.cancel()
  expect(await waiting).toEqual({ done: true, value: undefined })
  await clock.settle()
  expect(clock.pending).toBe(0)
})

test('G10: timers and sockets run while it counts', async () => {
  let turns = 0
  const turn = () => {
    turns++
    immediate = setImmediate(turn)
  }
  let immediate = setImmediate(turn)
  const step = await ask('count to 10000')
  clearImmediate(immediate)
  expect(deltas(step)).toHaveLength(10_000)
  expect(turns).toBeGreaterThan(500)
})

test('it answers as a whole as well', async () => {
  const model = offlineModel(systemClock)
  const prompt = (text: string) => [{ role: 'user' as const, content: [{ type: 'text' as const, text }] }]
  const result = await model.doGenerate({ prompt: prompt('think about cats then count to 3') })
  expect(result.content.map(({ type }) => type)).toEqual(['reasoning', 'text', 'text'])
  expect(result.content.at(-1)).toEqual({ type: 'text', text: '1 2 3' })
  expect(result.finishReason.unified).toBe('stop')
  await expect(model.doGenerate({ prompt: prompt('fail with a bang') })).rejects.toThrow('a bang')
})

import { expect, test, vi } from 'vitest'
import { sdkModel } from '../../src/agent/sdk-model.ts'
import { AbortReason } from '../../src/kernel/abort.ts'
import type { Json } from '../../src/kernel/json.ts'
import type { StepPart } from '../../src/ports/model.ts'
import { finish, type ProviderPart, scriptedModel, text } from './scripted-model.ts'
import { callOf, finishOf, input, logOf, stepOf, textOf } from './step.ts'

const identity = { provider: 'scripted', id: 'model' }

const stepWith = (...parts: readonly (ProviderPart | Error)[]) =>
  stepOf(sdkModel(identity, scriptedModel(...parts)), callOf('hello'))

const delta = (id: string, said: string): ProviderPart => ({ type: 'text-delta', id, delta: said })

/** Collects what must not happen until it is disposed. */
function watchingTheProcess() {
  const seen: unknown[] = []
  const onRejection = (reason: unknown) => seen.push(reason)
  const onWarning = (warning: Error) => seen.push(warning)
  process.on('unhandledRejection', onRejection)
  process.on('warning', onWarning)
  const methods = (['log', 'info', 'warn', 'error'] as const).map((method) =>
    vi.spyOn(console, method).mockImplementation((...said: unknown[]) => {
      seen.push(said)
    }),
  )
  return {
    seen,
    [Symbol.dispose]() {
      process.off('unhandledRejection', onRejection)
      process.off('warning', onWarning)
      for (const method of methods) method.mockRestore()
    },
  }
}

/** Rejections and warnings are reported some turns later. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('text and reasoning come as blocks, then the finish', async () => {
  const { parts, thrown } = await stepWith(
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'hm' },
    { type: 'reasoning-end', id: '0' },
    ...text('a', 'b'),
    finish,
  )
  expect(thrown).toBeUndefined()
  expect(parts).toEqual<StepPart[]>([
    { type: 'start', block: 'reasoning:0', kind: 'reasoning' },
    { type: 'delta', block: 'reasoning:0', text: 'hm' },
    { type: 'end', block: 'reasoning:0' },
    { type: 'start', block: 'text:0', kind: 'text' },
    { type: 'delta', block: 'text:0', text: 'a' },
    { type: 'delta', block: 'text:0', text: 'b' },
    { type: 'end', block: 'text:0' },
    {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 7, outputTokens: 5, totalTokens: 12, reasoningTokens: 2, cachedInputTokens: 3 },
      output: {
        provider: 'scripted',
        messages: [
          { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'ab' }] },
        ],
      },
    },
  ])
})

test('G1: a block that the provider left open is ended before the finish', async () => {
  const { parts } = await stepWith({ type: 'text-start', id: '0' }, delta('0', 'a'), finish)
  expect(parts.map(({ type }) => type)).toEqual(['start', 'delta', 'end', 'finish'])
})

test('G1: a block without text is none', async () => {
  const { parts } = await stepWith(
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: '' },
    { type: 'reasoning-end', id: '0' },
    ...text(''),
    { type: 'text-start', id: '1' },
    finish,
  )
  expect(parts.map(({ type }) => type)).toEqual(['finish'])
})

test('G1: an id that is used again names another block', async () => {
  const { parts } = await stepWith(...text('a'), ...text('b'), finish)
  const started = parts.flatMap((part) => (part.type === 'start' ? [part.block] : []))
  expect(new Set(started).size).toBe(2)
  expect(textOf({ parts })).toBe('ab')
})

const toolCall: ProviderPart = { type: 'tool-call', toolCallId: '1', toolName: 'shell', input: '{}' }

test.each<readonly [string, readonly ProviderPart[], RegExp]>([
  ['text that was never started', [delta('7', 'a'), finish], /text:7/],
  ['an end that was never started', [{ type: 'reasoning-end', id: '7' }, finish], /reasoning:7/],
  ['nothing at all', [], /ended/],
  ['no finish after text', [...text('a')], /ended/],
  ['no finish in the middle of a block', [{ type: 'text-start', id: '0' }, delta('0', 'a')], /ended/],
  ['a finish that says error', [{ ...finish, finishReason: { unified: 'error', raw: 'x' } }], /"error"/],
  ['a finish that says so', [{ ...finish, finishReason: { unified: 'interrupted', raw: undefined } }], /"interrupted"/],
  ['an error of no type', [{ type: 'error', error: 'went wrong' }], /^went wrong$/],
  ['an error of some shape', [{ type: 'error', error: { oops: 1 } }], /no Error/],
])('G2: a stream with %s throws', async (_, parts, message) => {
  const { thrown, parts: got } = await stepWith(...parts)
  expect(thrown).toBeInstanceOf(Error)
  expect((thrown as Error).message).toMatch(message)
  expect(got.some(({ type }) => type === 'finish')).toBe(false)
})

test('a model that answers with a file elsewhere is not followed there', async () => {
  const url = new URL('http://127.0.0.1:9/secret')
  const { thrown } = await stepWith({ type: 'file', mediaType: 'image/png', data: { type: 'url', url } }, finish)
  expect(String(thrown)).toContain('downloaded')
})

test.each([
  ['stop', 'stop'],
  ['other', 'stop'],
  ['tool-calls', 'stop'],
  ['length', 'length'],
  ['content-filter', 'filtered'],
] as const)('a model that ends with %s finishes with %s', async (unified, reason) => {
  const { parts } = await stepWith(...text('a'), { ...finish, finishReason: { unified, raw: undefined } })
  expect(finishOf({ parts })?.reason).toBe(reason)
})

test('G5: what a provider does not count is 0, and the total is the sum', async () => {
  const none = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }
  const { parts } = await stepWith(...text('a'), {
    ...finish,
    usage: { inputTokens: none, outputTokens: { total: 4, text: undefined, reasoning: Number.NaN } },
  })
  expect(finishOf({ parts })?.usage).toEqual({
    inputTokens: 0,
    outputTokens: 4,
    totalTokens: 4,
    reasoningTokens: 0,
    cachedInputTokens: 0,
  })
})

test('G4: what the provider throws is thrown as it is, after what came before', async () => {
  const broken = new Error('broken')
  const part = await stepWith({ type: 'text-start', id: '0' }, delta('0', 'a'), { type: 'error', error: broken })
  expect(part.thrown).toBe(broken)
  expect(textOf(part)).toBe('a')
  expect((await stepWith({ type: 'text-start', id: '0' }, broken)).thrown).toBe(broken)
})

test('G4: a call that the provider rejects throws its error', async () => {
  const rejected = new Error('rejected')
  const model = { ...scriptedModel(), doStream: () => Promise.reject(rejected) }
  expect((await stepOf(sdkModel(identity, model), callOf('hello'))).thrown).toBe(rejected)
})

test('G4: nothing is printed and no promise is forgotten, however a call ends', async () => {
  using process_ = watchingTheProcess()
  const warnings = [{ type: 'other' as const, message: 'beware' }]
  await stepWith({ type: 'stream-start', warnings }, ...text('a'), finish)
  await stepWith({ type: 'error', error: new Error('broken') })
  await stepWith(...text('a'), new Error('broken'))
  await stepWith(...text('a'))
  await stepWith(delta('7', 'a'))
  await stepWith(toolCall, finish)
  const rejecting = { ...scriptedModel(), doStream: () => Promise.reject(new Error('rejected')) }
  await stepOf(sdkModel(identity, rejecting), callOf('hello'))
  await aborting(new Error('stopped'))
  for await (const part of sdkModel(identity, scriptedModel(...text('a', 'b'), finish)).stream(callOf('hello'))) {
    if (part.type === 'delta') break
  }
  await turns()
  expect(process_.seen).toEqual([])
})

/** Aborts a call whose provider has said something and then says nothing more, not even to its signal. */
async function aborting(reason: Error) {
  const stop = new AbortController()
  const silent = new ReadableStream<ProviderPart>({
    start(controller) {
      for (const part of [{ type: 'text-start', id: '0' } as const, delta('0', 'a')]) controller.enqueue(part)
    },
  })
  const model = sdkModel(identity, { ...scriptedModel(), doStream: async () => ({ stream: silent }) })
  let seen = ''
  try {
    for await (const part of model.stream(callOf('hello', { signal: stop.signal }))) {
      if (part.type !== 'delta') continue
      seen += part.text
      stop.abort(reason)
    }
  } catch (thrown) {
    return { thrown, seen }
  }
  return { thrown: undefined, seen }
}

test('G3: an abort ends a call at once with its reason, even when the provider ignores it', async () => {
  const reason = new AbortReason('requested', 'enough')
  expect(await aborting(reason)).toEqual({ thrown: reason, seen: 'a' })
})

test('G3: an abort ends a call at once whose provider has not answered at all', async () => {
  const reason = new AbortReason('requested', 'enough')
  const stop = new AbortController()
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const never = Promise.withResolvers<never>().promise
  const doStream = () => {
    resolve()
    return never
  }
  const step = stepOf(sdkModel(identity, { ...scriptedModel(), doStream }), callOf('hello', { signal: stop.signal }))
  await asked
  stop.abort(reason)
  expect(await step).toEqual({ parts: [], thrown: reason })
})

test('G3: an aborted call does not reach the provider', async () => {
  const reason = new AbortReason('shutdown', 'closing')
  const model = scriptedModel(...text('a'), finish)
  const { thrown } = await stepOf(sdkModel(identity, model), callOf('hello', { signal: AbortSignal.abort(reason) }))
  expect(thrown).toBe(reason)
  expect(model.calls).toEqual([])
})

test('G3: a reader that goes away ends the request', async () => {
  let signal: AbortSignal | undefined
  const model = scriptedModel(...text('a', 'b'), finish)
  const watched = sdkModel(identity, {
    ...model,
    doStream: (options) => {
      signal = options.abortSignal
      return model.doStream(options)
    },
  })
  for await (const part of watched.stream(callOf('hello'))) if (part.type === 'delta') break
  expect(signal?.aborted).toBe(true)
})

test('G7: what a provider wants to see again survives the log and is sent back', async () => {
  const providerMetadata = { scripted: { signature: 'Wm9v', nested: { list: [1, null] } } }
  const thinking = scriptedModel(
    { type: 'reasoning-start', id: '0' },
    { type: 'reasoning-delta', id: '0', delta: 'hm' },
    { type: 'reasoning-end', id: '0', providerMetadata },
    ...text('a'),
    finish,
  )
  const { parts } = await stepOf(sdkModel(identity, thinking), callOf('first'))
  const output = JSON.parse(JSON.stringify(finishOf({ parts })?.output)) as Json
  expect(output).toStrictEqual(finishOf({ parts })?.output)

  const accepted = { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null } as const
  const log = logOf(input('first'), { kind: 'step', output }, accepted, input('second'))
  await stepOf(sdkModel(identity, thinking), callOf('', { log, system: 'be brief' }))
  expect(thinking.calls.at(-1)?.prompt).toMatchObject([
    { role: 'system', content: 'be brief' },
    { role: 'user', content: [{ type: 'text', text: 'first' }] },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm', providerOptions: providerMetadata },
        { type: 'text', text: 'a' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'second' }] },
  ])
})

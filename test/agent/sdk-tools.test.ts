import { jsonSchema, tool, type ToolSet } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sdkTool, type SdkTool } from '../../src/agent/sdk-tool.ts'
import { sdkToolProvider } from '../../src/agent/sdk-tools.ts'
import { builtInTools } from '../../src/agent/tools/built-in-tools.ts'
import { asGenerationId, asRunId, asScopeId, asSessionId } from '../../src/kernel/ids.ts'
import type { ToolCall, ToolRequest } from '../../src/ports/tools.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { systemIds } from '../../src/runtime/system-ids.ts'

const who = {
  scopeId: asScopeId('default'),
  context: { tenant: 'acme' },
  sessionId: asSessionId('session'),
  generationId: asGenerationId('generation'),
  runId: asRunId('run'),
  parentSessionId: null,
  agent: null,
}
const call = (signal = new AbortController().signal): ToolCall => ({ ...who, toolCallId: 'call', signal })
const request: ToolRequest = {
  ...who,
  modelHint: null,
  signal: new AbortController().signal,
  requestPermission: async () => undefined,
}

const inputSchema = z.object({ count: z.int().default(1), names: z.array(z.string()).optional() })

describe('T80: a tool of the SDK is a tool of the harness', () => {
  test('T80: with its description, its schema, and what its metadata says', async () => {
    const sdk = tool({
      description: 'Counts',
      inputSchema,
      metadata: { readOnly: true, idempotent: true, timeoutMs: 500 },
      execute: () => null,
    })
    const made = await sdkTool('count', sdk)
    expect(made).toMatchObject({ name: 'count', description: 'Counts', readOnly: true, idempotent: true, timeoutMs: 500 })
    expect(made.inputSchema).toMatchObject({ type: 'object', properties: { count: { type: 'integer' } } })
    expect(made.sdk).toBe(sdk)
  })

  test('T80: of which nothing good is assumed', async () => {
    const schema = Promise.resolve({ type: 'object' } as const)
    const plain = await sdkTool('plain', tool({ inputSchema: jsonSchema(schema), execute: () => null }))
    expect(plain).toMatchObject({ description: '', readOnly: false, idempotent: false, timeoutMs: null, inputSchema: { type: 'object' } })
    const metadata = { readOnly: 'yes', idempotent: 1, timeoutMs: -1 }
    const odd = await sdkTool('odd', tool({ description: () => 'made', inputSchema, metadata, execute: () => null }))
    expect(odd).toMatchObject({ description: 'made', readOnly: false, idempotent: false, timeoutMs: null })
  })

  test('T80: that is called with its input, its signal, and for whom it is', async () => {
    const seen: unknown[] = []
    const sdk = tool({
      inputSchema,
      execute: (input, options) => {
        seen.push(input, options)
        return input.count
      },
    })
    const signal = AbortSignal.abort()
    expect(await (await sdkTool('count', sdk)).execute({ count: 3 }, call(signal))).toBe(3)
    expect(seen).toEqual([{ count: 3 }, { toolCallId: 'call', messages: [], abortSignal: signal, context: who }])
  })

  test('T80: whose last value counts, when it gives several', async () => {
    const several = async function* () {
      yield 1
      yield 2
    }
    const made = await sdkTool('several', tool({ inputSchema, execute: several }))
    expect(await made.execute({}, call())).toBe(2)
    const reason = new Error('enough')
    await expect(made.execute({}, call(AbortSignal.abort(reason)))).rejects.toBe(reason)
    const none = await sdkTool('none', tool({ inputSchema, async *execute(): AsyncGenerator<number> {} }))
    expect(await none.execute({}, call())).toBeUndefined()
  })

  test('T80: that throws what it throws', async () => {
    const error = new Error('mine')
    const thrown = await sdkTool('thrown', tool({ inputSchema, execute: (): string => { throw error } }))
    const rejected = await sdkTool('rejected', tool({ inputSchema, execute: () => Promise.reject<string>(error) }))
    await expect(thrown.execute({}, call())).rejects.toBe(error)
    await expect(rejected.execute({}, call())).rejects.toBe(error)
  })

  test('T80: but not without a function to run', async () => {
    await expect(sdkTool('gone', tool({ inputSchema, outputSchema: z.string() }))).rejects.toThrow('"gone" has no function "execute"')
  })
})

describe('T81: an input is checked by the schema of the tool', () => {
  const counting = () => sdkTool('count', tool({ inputSchema, execute: () => null }))

  test('T81: and given as that makes it', async () => {
    expect(await (await counting()).check({ other: 1 })).toEqual({ ok: true, input: { count: 1 } })
    const free = await sdkTool('free', tool({ inputSchema: jsonSchema({ type: 'object' }), execute: () => null }))
    expect(await free.check([1])).toEqual({ ok: true, input: [1] })
  })

  test('T81: which says what is wrong, issue by issue, without repeating the input', async () => {
    const made = await counting()
    const secret = 'sk-secret'
    expect(await made.check({ count: secret, names: ['a', 2] })).toEqual({
      ok: false,
      message: 'The input is wrong: count: Invalid input: expected number, received string; names.1: Invalid input: expected string, received number.',
    })
    expect(await made.check(null)).toEqual({ ok: false, message: 'The input is wrong: Invalid input: expected object, received null.' })
    const many = await made.check({ names: Array.from({ length: 1_000 }, (_, at) => at) })
    expect(JSON.stringify(many).length).toBeLessThan(2_200)
  })

  test.each([
    ['an error of the application', jsonSchema({}, { validate: () => ({ success: false, error: new Error('/home/me') }) })],
    ['a transformation that throws', z.string().transform((): string => { throw new Error('/home/me') })],
    ['issues that are none', jsonSchema({}, { validate: () => ({ success: false, error: new Error('x', { cause: { issues: [1, { message: 2 }] } }) }) })],
  ])('T81: %s is not shown', async (_, schema) => {
    const made = await sdkTool('odd', tool({ inputSchema: schema, execute: () => null }))
    expect(await made.check('x')).toEqual({ ok: false, message: 'The input is wrong: it does not match the schema of the tool.' })
  })

  test('T81: issues of any library of schemas are shown', async () => {
    const cause = [{ message: 'too odd', path: ['a', { key: 0 }] }]
    const schema = jsonSchema({}, { validate: () => ({ success: false, error: new Error('x', { cause }) }) })
    const wrapped = jsonSchema({}, { validate: () => ({ success: false, error: new Error('x', { cause: { issues: cause } }) }) })
    for (const each of [schema, wrapped]) {
      const made = await sdkTool('odd', tool({ inputSchema: each, execute: () => null }))
      expect(await made.check('x')).toEqual({ ok: false, message: 'The input is wrong: a.0: too odd.' })
    }
  })
})

describe('T82: tools of the SDK are provided to a run', () => {
  const good: ToolSet = { one: tool({ inputSchema, execute: () => 1 }), release: tool({ inputSchema, execute: () => 2 }) }
  const bad: ToolSet = { ...good, bad: tool({ inputSchema, outputSchema: z.string() }) }
  const namesOf = ({ tools }: { readonly tools: readonly { readonly name: string }[] }) => tools.map(({ name }) => name)

  test('T82: the same for each, or by a function that is told which', async () => {
    const fixed = sdkToolProvider(good)
    const first = await fixed.provide(request)
    expect(namesOf(first)).toEqual(['one', 'release'])
    expect((await fixed.provide(request)).tools[0]).toBe(first.tools[0])
    const seen: unknown[] = []
    const made = sdkToolProvider((asked) => {
      seen.push(asked)
      return good
    })
    expect(namesOf(await made.provide(request))).toEqual(['one', 'release'])
    expect(seen).toEqual([request])
  })

  test('T82: and let go of when the run does so, or when they cannot be used', async () => {
    let released = 0
    const release = () => void released++
    const handle = await sdkToolProvider(async () => ({ tools: good, release })).provide(request)
    expect(namesOf(handle)).toEqual(['one', 'release'])
    expect(released).toBe(0)
    await handle.release?.()
    expect(released).toBe(1)
    await expect(sdkToolProvider(async () => ({ tools: bad, release })).provide(request)).rejects.toThrow('"bad" has no function')
    expect(released).toBe(2)
    await expect(sdkToolProvider(bad).provide(request)).rejects.toThrow('"bad" has no function')
    await expect(sdkToolProvider(() => Promise.reject(new Error('mine'))).provide(request)).rejects.toThrow('mine')
  })

  test('T82: the built-in ones as well', async () => {
    const { tools } = await sdkToolProvider(builtInTools({ root: '.', clock: systemClock, ids: systemIds })).provide(request)
    const calculator = tools.find(({ name }) => name === 'calculator') as SdkTool
    const checked = await calculator.check({ expression: '1 + 1' })
    expect(checked).toEqual({ ok: true, input: { expression: '1 + 1' } })
    expect(await calculator.execute(checked.ok && checked.input, call())).toEqual({ expression: '1 + 1', result: 2 })
    expect(tools.every(({ description, inputSchema: { type } }) => description !== '' && type === 'object')).toBe(true)
  })
})

import type {
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider'
import { isStepCount, jsonSchema, streamText, tool, type ToolSet } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { note } from '../../src/agent/note.ts'
import { offlineModel } from '../../src/agent/offline-model.ts'
import { builtInTools } from '../../src/agent/tools/built-in-tools.ts'
import { ToolError } from '../../src/ports/tool-error.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { systemIds } from '../../src/runtime/system-ids.ts'
import { scratchFolder } from './tools/scratch-folder.ts'

const model = offlineModel(systemClock)

type Message = LanguageModelV4Message
type Parts = readonly LanguageModelV4StreamPart[]

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

async function step(messages: readonly Message[], tools: readonly string[]): Promise<Parts> {
  const parts: LanguageModelV4StreamPart[] = []
  const { stream } = await model.doStream({
    prompt: [...messages],
    tools: tools.map((name) => ({ type: 'function', name, inputSchema: {} })),
  })
  for await (const part of stream) parts.push(part)
  return parts
}

const textOf = (parts: Parts) => parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('')
const textsOf = (parts: Parts) =>
  parts.flatMap((part) => (part.type === 'text-start' ? [part.id] : [])).map((id) =>
    parts.map((part) => (part.type === 'text-delta' && part.id === id ? part.delta : '')).join(''),
  )
const callsOf = (parts: Parts) => parts.filter((part) => part.type === 'tool-call')
const inputsOf = (parts: Parts) => callsOf(parts).map(({ toolName, input }) => [toolName, JSON.parse(input) as unknown])
const reasonOf = (parts: Parts) => parts.flatMap((part) => (part.type === 'finish' ? [part.finishReason.unified] : []))

/** What a step said and called, and what the tools returned, as the next step sees it. */
function round(parts: Parts, ...outputs: readonly LanguageModelV4ToolResultOutput[]): readonly Message[] {
  const calls = callsOf(parts)
  return [
    {
      role: 'assistant',
      content: [
        ...textsOf(parts).map((text) => ({ type: 'text' as const, text })),
        ...calls.map(({ toolCallId, toolName, input }) => ({ type: 'tool-call' as const, toolCallId, toolName, input: JSON.parse(input) as unknown })),
      ],
    },
    {
      role: 'tool',
      content: calls.flatMap(({ toolCallId, toolName }, at) =>
        outputs[at] ? [{ type: 'tool-result' as const, toolCallId, toolName, output: outputs[at] }] : [],
      ),
    },
  ]
}

const all = ['list_files', 'read_file', 'search_files', 'write_file', 'http_fetch', 'calculator', 'delegate', 'mine']
const ok: LanguageModelV4ToolResultOutput = { type: 'json', value: { done: true } }

describe('T70: a request for a tool', () => {
  test.each<readonly [string, readonly (readonly [string, object])[]]>([
    ['list files', [['list_files', {}]]],
    ['list files in "my notes"', [['list_files', { path: 'my notes' }]]],
    ['read a/b.md', [['read_file', { path: 'a/b.md' }]]],
    ['search for "some text"', [['search_files', { text: 'some text' }]]],
    ['write milk and bread to list.txt', [['write_file', { path: 'list.txt', content: 'milk and bread' }]]],
    ['fetch https://a.example/', [['http_fetch', { url: 'https://a.example/' }]]],
    ['calculate (1 + 2) * 3', [['calculator', { expression: '(1 + 2) * 3' }]]],
    ['call mine with {"a":[1,"then read b"]}', [['mine', { a: [1, 'then read b'] }]]],
    ['delegate to x: go and delegate to y: (stay)', [
      ['delegate', { description: 'go', prompt: 'go', subagentType: 'x' }],
      ['delegate', { description: 'stay', prompt: 'stay', subagentType: 'y' }],
    ]],
  ])('T70: %s', async (prompt, calls) => {
    const parts = await step([user(prompt)], all)
    expect(inputsOf(parts)).toEqual(calls)
    expect(reasonOf(parts)).toEqual(['tool-calls'])
    expect(new Set(callsOf(parts).map(({ toolCallId }) => toolCallId)).size).toBe(calls.length)
  })

  test('T70: comes as a stream of its input, whatever that is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 2_000 }), async (text) => {
        const parts = await step([user(`call mine with ${JSON.stringify({ text })}`)], all)
        const deltas = parts.flatMap((part) => (part.type === 'tool-input-delta' ? [part.delta] : []))
        expect(parts.map(({ type }) => type)).toEqual([
          'stream-start', 'tool-input-start', ...deltas.map(() => 'tool-input-delta'), 'tool-input-end', 'tool-call', 'finish',
        ])
        expect(callsOf(parts)).toEqual([{ type: 'tool-call', toolCallId: 'offline-1', toolName: 'mine', input: deltas.join('') }])
        expect(JSON.parse(deltas.join(''))).toEqual({ text })
        expect(deltas.every((delta) => delta.isWellFormed() || !deltas.join('').isWellFormed())).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  test('T70: ends the step; what comes before is answered before', async () => {
    const parts = await step([user('count to 2 then read a then count to 3')], all)
    expect(textsOf(parts)).toEqual(['1 2'])
    expect(inputsOf(parts)).toEqual([['read_file', { path: 'a' }]])
  })

  test('T70: that is not there, or with no JSON, is told in words, and the rest goes on', async () => {
    const parts = await step([user('read a then call gone with {} then call mine with {a} then calculate 1')], ['calculator', 'mine'])
    expect(textsOf(parts)).toEqual([
      'I am the offline model: there is no tool "read_file" here, only calculator, mine.',
      'I am the offline model: there is no tool "gone" here, only calculator, mine.',
      'I am the offline model: I cannot call "mine", since "{a}" is no JSON.',
    ])
    expect(inputsOf(parts)).toEqual([['calculator', { expression: '1' }]])
    const alone = await step([user('delegate to x: y')], [])
    expect(textOf(alone)).toBe('I am the offline model: there is no tool "delegate" here, and no other.')
    expect(reasonOf(alone)).toEqual(['stop'])
  })

  test('T70: calls nothing when tools are forbidden', async () => {
    const { content } = await model.doGenerate({
      prompt: [user('read a')],
      tools: [{ type: 'function', name: 'read_file', inputSchema: {} }],
      toolChoice: { type: 'none' },
    })
    expect(content.map(({ type }) => type)).toEqual(['text'])
  })

  test('T70: is part of an answer as a whole as well', async () => {
    const tools = [{ type: 'function' as const, name: 'read_file', inputSchema: {} }]
    const { content, finishReason } = await model.doGenerate({ prompt: [user('count to 1 then read a')], tools })
    expect(content.map(({ type }) => type)).toEqual(['text', 'tool-call'])
    expect(finishReason.unified).toBe('tool-calls')
  })
})

describe('T71: the step after a call', () => {
  const after = async (...outputs: readonly LanguageModelV4ToolResultOutput[]) => {
    const prompt = user(Array.from(outputs, (_, at) => `delegate to a${at}: x`).join(' and '))
    const first = await step([prompt], all)
    return step([prompt, ...round(first, ...outputs)], all)
  }

  test.each<readonly [LanguageModelV4ToolResultOutput, string]>([
    [{ type: 'text', value: 'all is well' }, 'The subagent a0 returned: all is well'],
    [{ type: 'json', value: { a: [1] } }, 'The subagent a0 returned: {"a":[1]}'],
    [{ type: 'json', value: null }, 'The subagent a0 returned: null'],
    [{ type: 'content', value: [{ type: 'text', text: 'see' }, { type: 'file', mediaType: 'image/png', data: { type: 'data', data: '' } }] }, 'The subagent a0 returned: see [a file]'],
    [{ type: 'error-text', value: 'no such file' }, 'The subagent a0 failed: no such file'],
    [{ type: 'error-json', value: { code: 'X' } }, 'The subagent a0 failed: {"code":"X"}'],
    [{ type: 'error-text', value: 'outcome unknown: it may have happened' }, 'The subagent a0 may have done it or not: outcome unknown: it may have happened'],
    [{ type: 'error-json', value: { message: 'The outcome of this is unknown.' } }, 'The subagent a0 may have done it or not: {"message":"The outcome of this is unknown."}'],
    [{ type: 'execution-denied', reason: 'not now' }, 'The subagent a0 was not allowed to run: not now'],
    [{ type: 'execution-denied' }, 'The subagent a0 was not allowed to run.'],
    [{ type: 'json', value: { taskId: 't', status: 'completed', text: '1 2 3', model: null } }, 'The subagent a0 answered: 1 2 3'],
    [{ type: 'json', value: { taskId: 't', status: 'completed', text: '', model: null } }, 'The subagent a0 answered nothing.'],
    [{ type: 'json', value: { taskId: 't', status: 'partial', text: '1 2', model: null } }, 'The subagent a0 answered in part, then its budget was spent: 1 2'],
  ])('T71: tells what was returned: %j', async (output, text) => {
    const parts = await after(output)
    expect(textOf(parts)).toBe(text)
    expect(reasonOf(parts)).toEqual(['stop'])
  })

  test('T71: tells what a tool returned, and a delegation to nobody', async () => {
    const toldOf = async (asked: string) => {
      const first = await step([user(asked)], all)
      return textOf(await step([user(asked), ...round(first, ok)], all))
    }
    expect(await toldOf('read a')).toBe('The tool read_file returned: {"done":true}')
    expect(await toldOf('call delegate with {"prompt":"x"}')).toBe('The tool delegate returned: {"done":true}')
    expect(await toldOf('call delegate with "x"')).toBe('The tool delegate returned: {"done":true}')
  })

  test('T71: tells of every result, in blocks of their own, and of much only a part', async () => {
    const parts = await after(ok, { type: 'text', value: 'é'.repeat(1_000_000) }, { type: 'error-text', value: 'bang' })
    const texts = textsOf(parts)
    expect(texts).toHaveLength(3)
    expect(texts[1]).toMatch(/^The subagent a1 returned: é{2048}… \[there is more\]$/)
  })

  test('T71: goes on with the rest, to the end, whatever the tools returned', async () => {
    const prompt = user('remember tea then read a then count to 2 then read b then call gone with {} then read b then what did I say')
    const messages: Message[] = [prompt]
    const seen: unknown[] = []
    for (let steps = 0; steps < 5; steps++) {
      const parts = await step(messages, ['read_file'])
      seen.push([textsOf(parts).slice(0, 2), callsOf(parts).map(({ toolCallId, input }) => [toolCallId, input])])
      messages.push(...round(parts, steps === 1 ? { type: 'error-text', value: 'bang' } : ok))
      if (!reasonOf(parts).includes('tool-calls')) break
    }
    expect(seen).toEqual([
      [['The offline model keeps in mind: "tea".'], [['offline-1', '{"path":"a"}']]],
      [['The tool read_file returned: {"done":true}', '1 2'], [['offline-2', '{"path":"b"}']]],
      [['The tool read_file failed: bang', 'I am the offline model: there is no tool "gone" here, only read_file.'], [['offline-3', '{"path":"b"}']]],
      [
        [
          'The tool read_file returned: {"done":true}',
          'I am the offline model, and look it up in our conversation.\nYou asked me to remember:\n- "tea"',
        ],
        [],
      ],
    ])
  })

  test('T71: knows what is the user\'s own from what the harness noted', async () => {
    const prompt = user('read a then count to 2')
    const first = await step([prompt], all)
    const noted: Message = { role: 'user', content: [note('A job has ended.')] }
    const second = await step([prompt, ...round(first, ok), noted], all)
    expect(textsOf(second)).toEqual(['The tool read_file returned: {"done":true}', '1 2'])
    const again = await step([prompt, ...round(first, ok), ...round(second), user('read a')], all)
    expect(callsOf(again)).toMatchObject([{ toolCallId: 'offline-2' }])
    expect(textOf(again)).toBe('')
  })

  test('T71: is the same for the same conversation', async () => {
    const prompt = user('list files then delegate to a: b and delegate to c: d then count to 3')
    const first = await step([prompt], all)
    expect(await step([prompt], all)).toEqual(first)
    const messages = [prompt, ...round(first, ok)]
    expect(await step(messages, all)).toEqual(await step(messages, all))
  })
})

describe('T72: with the built-in tools the first minute is real', () => {
  const run = async (prompt: string, tools: ToolSet) => {
    const result = streamText({ model, prompt, tools, stopWhen: isStepCount(20), maxRetries: 0 })
    return (await result.steps).map(({ text }) => text).join('\n')
  }

  test('T72: files are written, listed, read and found; a sum is calculated', async () => {
    const tools = builtInTools({ root: await scratchFolder(), clock: systemClock, ids: systemIds })
    const text = await run(
      'write milk then bread to notes/list.txt then list files in notes then read notes/list.txt then search for BREAD then calculate 2^10 then call clock with {"timeZone":"UTC"} then read ../secret',
      tools,
    )
    expect(text).toContain('write_file returned: {"path":"notes/list.txt","bytes":15,"replaced":false}')
    expect(text).toContain('list_files returned: {"entries":[{"path":"notes/list.txt","type":"file","bytes":15}],"isCut":false}')
    expect(text).toContain('"content":"milk then bread"')
    expect(text).toContain('search_files returned: {"matches":[{"path":"notes/list.txt","line":1,"text":"milk then bread"}]')
    expect(text).toContain('calculator returned: {"expression":"2^10","result":1024}')
    expect(text).toMatch(/clock returned: \{"utc":"\d{4}-/)
    expect(text).toContain('read_file failed: ToolError: "../secret" is no path of the workspace')
  })

  test('T72: they say what they change, and whether a call can be repeated', () => {
    const tools: ToolSet = builtInTools({ root: '.', clock: systemClock, ids: systemIds })
    const readOnly = { readOnly: true, idempotent: true }
    expect(Object.entries(tools).map(([name, { metadata }]) => [name, metadata])).toEqual([
      ['list_files', readOnly],
      ['read_file', readOnly],
      ['search_files', readOnly],
      ['write_file', { readOnly: false, idempotent: true }],
      ['http_fetch', { readOnly: false, idempotent: true }],
      ['calculator', readOnly],
      ['clock', readOnly],
    ])
  })

  test('T72: any other tool as well, also one that throws', async () => {
    const inputSchema = jsonSchema({ type: 'object' })
    const text = await run('call good with {} then call bad with {"a":1} then count to 2', {
      good: tool({ inputSchema, execute: () => 'well' }),
      bad: tool({ inputSchema, execute: (): string => { throw new ToolError('bang') } }),
    })
    expect(text).toBe('\nThe tool good returned: well\nThe tool bad failed: ToolError: bang1 2')
  })
})

import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogBody, LogEntry } from '../../src/domain/log/entry.ts'
import { interrupted } from '../../src/domain/run/outcome.ts'
import { outcomeUnknown, type ToolResult } from '../../src/domain/tool/result.ts'
import type { Json } from '../../src/kernel/json.ts'
import type { RunId, SessionKey } from '../../src/kernel/ids.ts'
import { sdkModel } from '../../src/agent/sdk-model.ts'
import type { StepPart } from '../../src/ports/model.ts'
import type { Tool } from '../../src/ports/tools.ts'
import { finish, type ProviderPart, scriptedModel, text } from './scripted-model.ts'
import { callOf, finishOf, input, logOf, stepOf } from './step.ts'

const identity = { provider: 'scripted', id: 'model' }

const shell: Tool = {
  name: 'shell',
  description: 'Runs a command.',
  inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  readOnly: false,
  idempotent: false,
  timeoutMs: null,
  check: async (given) => ({ ok: true, input: given }),
  execute: async () => {
    throw new Error('The SDK must not execute tools.')
  },
}

const callPart = (toolCallId: string, given: string, toolName = 'shell'): ProviderPart => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: given,
})

const done: ProviderPart = { ...finish, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } }

async function stepWith(...parts: readonly ProviderPart[]) {
  const model = scriptedModel(...parts)
  return { ...(await stepOf(sdkModel(identity, model), callOf('go', { tools: [shell] }))), asked: model.calls[0] }
}

const callsOf = ({ parts }: { readonly parts: readonly StepPart[] }) => parts.filter((part) => part.type === 'call')

test('G30: the model is told of the tools, and its calls are named, not executed', async () => {
  const step = await stepWith(...text('I look.'), callPart('a', '{"command":"ls"}'), callPart('a', ''), done)
  expect(step.asked?.tools).toMatchObject([{ type: 'function', name: 'shell', inputSchema: shell.inputSchema }])
  expect(callsOf(step)).toEqual([
    { type: 'call', callId: 'a', toolName: 'shell', input: { command: 'ls' }, problem: null },
    { type: 'call', callId: 'a', toolName: 'shell', input: {}, problem: null },
  ])
  expect(finishOf(step)?.reason).toBe('continue')
})

test('G30: a call of a tool that there is not, or with an input that is no JSON, is a call with a problem', async () => {
  const step = await stepWith(callPart('a', '{}', 'rm'), callPart('b', '{"command":'), done)
  expect(step.thrown).toBeUndefined()
  expect(callsOf(step)).toMatchObject([
    { toolName: 'rm', problem: 'There is no tool "rm".' },
    { toolName: 'shell', problem: 'The input of the call is not valid JSON.' },
  ])
  const output = finishOf(step)?.output as { readonly messages: readonly { readonly role: string }[] }
  expect(output.messages.map(({ role }) => role)).toEqual(['assistant'])
})

const run = 'run-1' as RunId
const entriesOf = (bodies: readonly LogBody[]): readonly LogEntry[] => logOf(...bodies).map((entry) => ({ ...entry, runId: run }))

async function promptOf(log: readonly LogEntry[]): Promise<LanguageModelV4Prompt> {
  const model = scriptedModel(...text('ok'), finish)
  const { thrown } = await stepOf(sdkModel(identity, model), { ...callOf('go'), log, tools: [shell] })
  expect(thrown).toBeUndefined()
  return model.calls[0]?.prompt ?? []
}

const step = (calls: readonly { readonly id: string; readonly own: string; readonly input?: Json }[]): LogBody => ({
  kind: 'step',
  output: {
    provider: 'scripted',
    messages: [
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'I call.' },
          ...calls.map(({ id, input: given = {} }) => ({
            type: 'tool-call',
            toolCallId: id,
            toolName: 'shell',
            input: given,
          })),
        ],
      },
    ],
  },
  calls: calls.map(({ own }) => own),
})

const intent = (toolCallId: string): LogBody => ({ kind: 'intent', toolCallId, toolName: 'shell' })
const result = (toolCallId: string, given: ToolResult): LogBody => ({
  kind: 'result',
  toolCallId,
  toolName: 'shell',
  result: given,
})

test('G31: results go to their calls, whatever order they came in, by the ids that the provider gave', async () => {
  const prompt = await promptOf(
    entriesOf([
      input('go'),
      step([
        { id: 'call_0', own: 'call_0' },
        { id: 'call_0', own: 'call_0#2' },
        { id: 'c', own: 'c' },
        { id: 'd', own: 'd' },
      ]),
      intent('call_0#2'),
      result('call_0#2', { status: 'COMPLETED', output: 'second' }),
      intent('call_0'),
      result('call_0', { status: 'COMPLETED', output: { first: true } }),
      intent('c'),
    ]),
  )
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(prompt[2]).toMatchObject({
    content: [
      { toolCallId: 'call_0', output: { type: 'json', value: { first: true } } },
      { toolCallId: 'call_0', output: { type: 'text', value: 'second' } },
      { toolCallId: 'c', output: { type: 'error-text', value: 'The outcome is unknown: it may have happened.' } },
      { toolCallId: 'd', output: { type: 'error-text', value: 'The call was not executed, because the run ended before.' } },
    ],
  })
})

test('G31: what a person found out later follows as a note, and the result stays as it was', async () => {
  const found = { outcome: 'SUCCEEDED', output: { lines: 3 } } as const
  const prompt = await promptOf(
    entriesOf([
      input('go'),
      step([{ id: 'a', own: 'a' }]),
      intent('a'),
      result('a', outcomeUnknown),
      { kind: 'outcome', outcome: 'INTERRUPTED', status: 'FAILED', error: interrupted.status === 'FAILED' ? interrupted.error : null },
      { kind: 'reconciled', toolCallId: 'a', toolName: 'shell', found },
      input('and?'),
    ]),
  )
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(JSON.stringify(prompt[3])).toContain('has succeeded: {\\"lines\\":3}')
})

test('G31: an input that was no JSON goes back to the provider as an object', async () => {
  const prompt = await promptOf(entriesOf([input('go'), step([{ id: 'a', own: 'a', input: '{"command":' }])]))
  expect(prompt[1]).toMatchObject({ content: [{ type: 'text' }, { type: 'tool-call', input: { invalid: '{"command":' } }] })
})

/** Runs of steps with calls, of which any entries may be missing, doubled or out of place. */
const anyLog = fc
  .array(
    fc.oneof(
      fc.constant(input('go')),
      fc
        .array(fc.constantFrom('a', 'b', 'a#2'), { maxLength: 4 })
        .map((own) => step(own.map((id) => ({ id: id.charAt(0), own: id })))),
      fc.constantFrom('a', 'b', 'a#2', 'x').map(intent),
      fc.constantFrom('a', 'b', 'a#2', 'x').map((id) => result(id, { status: 'COMPLETED', output: null })),
      fc.constantFrom('a', 'b').map((id) => result(id, outcomeUnknown)),
      fc.constant<LogBody>({ kind: 'outcome', outcome: 'INTERRUPTED', status: 'CANCELLED', error: null }),
      fc.constant<LogBody>({ kind: 'reconciled', toolCallId: 'a', toolName: 'shell', found: { outcome: 'NOT_EXECUTED' } }),
    ),
    { maxLength: 12 },
  )
  .chain((bodies) =>
    fc.array(fc.integer({ min: 1, max: 3 }), { minLength: bodies.length, maxLength: bodies.length }).map((runs) =>
      [input('go'), ...bodies, input('and?')].map((body, index) => ({
        sessionKey: 1 as SessionKey,
        index,
        runId: `run-${runs[index] ?? 1}` as RunId,
        createdAt: 0,
        body,
      })),
    ),
  )

type Message = LanguageModelV4Prompt[number]

const callsIn = (message: Message): readonly string[] =>
  message.role === 'assistant'
    ? message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    : []

const resultsIn = (message: Message | undefined): readonly string[] =>
  message?.role === 'tool'
    ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : []))
    : []

test('G31: whatever is in the log, every call that the provider sees has exactly one result, right behind it', async () => {
  await fc.assert(
    fc.asyncProperty(anyLog, async (log) => {
      const prompt = await promptOf(log)
      const steps = prompt.map((message, i) => ({ calls: callsIn(message), results: resultsIn(prompt[i + 1]) }))
      expect(steps.map(({ results }) => results)).toEqual(steps.map(({ calls }) => calls))
    }),
  )
})

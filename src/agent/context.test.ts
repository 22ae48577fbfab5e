import fc from 'fast-check'
import type { ModelMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import type { LogBody, LogEntry } from '../domain/log/entry.ts'
import type { ErrorView } from '../domain/run/outcome.ts'
import type { Json } from '../kernel/json.ts'
import type { RunId, SessionKey } from '../kernel/ids.ts'
import { contextOf } from './context.ts'
import { isNote } from './note.ts'

type Run = readonly LogBody[]

/** The log of some runs. */
const logOf = (...runs: readonly Run[]): readonly LogEntry[] =>
  runs
    .flatMap((bodies, run) => bodies.map((body) => ({ body, runId: `run-${run}` as RunId })))
    .map((entry, index) => ({ ...entry, sessionKey: 1 as SessionKey, index, createdAt: 0 }))

const input = (text: string, ...attachments: Extract<LogBody, { kind: 'input' }>['attachments']): LogBody => ({
  kind: 'input',
  text,
  attachments,
})
const answer = (...content: readonly Json[]): Extract<LogBody, { kind: 'step' }> => ({
  kind: 'step',
  output: { messages: [{ role: 'assistant', content }] },
})
/** The same answer, by a provider. */
const by = (provider: string, { kind, output }: Extract<LogBody, { kind: 'step' }>): LogBody => ({
  kind,
  output: { ...(output as { readonly messages: Json }), provider },
})
const said = (text: string): LogBody => answer({ type: 'text', text })
const accepted: LogBody = { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null }
const cancelled: LogBody = {
  kind: 'outcome',
  outcome: 'INTERRUPTED',
  status: 'CANCELLED',
  error: { code: 'ABORTED', message: 'The run was stopped.', source: 'harness' },
}
const failed = (source: string): LogBody => ({
  kind: 'outcome',
  outcome: 'REJECTED',
  status: 'FAILED',
  error: { code: 'MODEL_FAILED', message: 'The model call failed.', source },
})

const picture = { mediaType: 'image/PNG;x=1', filename: 'cat.png', url: 'data:image/png;base64,AQID' }

/** Roles and texts, for reading. */
const readable = (messages: readonly ModelMessage[]): readonly (readonly [string, ...string[]])[] =>
  messages.map(({ role, content }) => [
    role,
    ...(typeof content === 'string' ? [content] : content.map((it) => ('text' in it ? it.text : `<${it.type}>`))),
  ])

const contextOfRuns = (...runs: readonly Run[]) => readable(contextOf(logOf(...runs), 'test'))

describe('of a run', () => {
  test('that was accepted: the input and the answer', () => {
    expect(contextOfRuns([input('one'), said('1'), accepted], [input('two')])).toEqual([
      ['user', 'one'],
      ['assistant', '1'],
      ['user', 'two'],
    ])
  })

  test('that was stopped: a note in place of the answer, in one message with what the user said next', () => {
    expect(contextOfRuns([input('one'), cancelled], [input('two')])).toEqual([
      ['user', 'one', '[The answer to this was stopped before it was complete: The run was stopped.]', 'two'],
    ])
  })

  test('that failed after a step: the finished step, and the note', () => {
    expect(contextOfRuns([input('one'), said('1'), failed('model')], [input('two')])).toEqual([
      ['user', 'one'],
      ['assistant', '1'],
      ['user', '[The answer to this failed before it was complete: The model call failed.]', 'two'],
    ])
  })

  test('that failed for no stated reason: the note says so much', () => {
    const outcome: LogBody = { kind: 'outcome', outcome: 'REJECTED', status: 'FAILED', error: null }
    expect(contextOfRuns([input('one'), outcome])).toEqual([
      ['user', 'one', '[The answer to this failed before it was complete.]'],
    ])
  })

  test('only the notes are marked as not the user’s own', () => {
    const [message] = contextOf(logOf([input('[one]'), cancelled], [input('two')]), 'test')
    const parts = message?.role === 'user' && typeof message.content !== 'string' ? message.content : []
    expect(parts.map(isNote)).toEqual([false, true, false])
  })
})

describe('an attachment', () => {
  test('is a file with its bytes, type and name', () => {
    expect(contextOf(logOf([input('look', picture)]), 'test')).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'file', mediaType: 'image/png', filename: 'cat.png', data: { type: 'data', data: 'AQID' } },
        ],
      },
    ])
  })

  test('of a run whose input the model did not take is named, so that it cannot fail the next one', () => {
    expect(contextOfRuns([input('look', picture), failed('model')], [input('and now?')])[0]).toContain(
      '[The attachment cat.png (image/PNG;x=1) is left out.]',
    )
  })

  test.each([
    ['by the harness', [input('look', picture), failed('harness')]],
    ['after a step', [input('look', picture), said('a cat'), failed('model')]],
    ['by the user', [input('look', picture), cancelled]],
  ] as const)('of a run that was ended %s stays', (_, run) => {
    expect(contextOfRuns(run, [input('and now?')])[0]).toContain('<file>')
  })

  test('that is empty is named', () => {
    const empty = { mediaType: 'text/plain', filename: null, url: 'data:text/plain,' }
    expect(contextOfRuns([input('', empty)])).toEqual([
      ['user', '[The attachment without a name (text/plain) is left out.]'],
    ])
  })
})

describe('an answer', () => {
  test('that says nothing is left out, so that the user’s texts meet in one message', () => {
    const nothing: LogBody = { kind: 'step', output: { messages: [] } }
    expect(contextOfRuns([input('one'), nothing, accepted], [input('two')])).toEqual([['user', 'one', 'two']])
    expect(contextOfRuns([input('one'), said(''), accepted], [input('two')])).toEqual([['user', 'one', 'two']])
  })

  test('that is all thought is left out', () => {
    const thought = answer({ type: 'reasoning', text: 'hm', providerOptions: { p: { signature: 's' } } })
    expect(contextOfRuns([input('one'), thought, accepted], [input('two')])).toEqual([['user', 'one', 'two']])
  })

  test('keeps what a provider wants to see again, even without text', () => {
    const options = { providerOptions: { p: { signature: 's' } } }
    const content = [{ type: 'reasoning', text: '', ...options }, { type: 'text', text: 'a' }]
    for (const step of [answer(...content), by('test', answer(...content))]) {
      expect(contextOf(logOf([input('one'), step, accepted]), 'test')[1]).toEqual({ role: 'assistant', content })
    }
  })

  test('G26: of another provider gives its text alone', () => {
    const options = { providerOptions: { p: { signature: 's' } } }
    const content = [
      { type: 'reasoning', text: 'hm', ...options },
      { type: 'text', text: 'a', ...options },
      { type: 'text', text: '', ...options },
    ]
    expect(contextOf(logOf([input('one'), by('other', answer(...content)), accepted]), 'test')[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'a' }],
    })
  })
})

const errorView: fc.Arbitrary<ErrorView> = fc.record({
  code: fc.constantFrom('ABORTED', 'MODEL_FAILED'),
  message: fc.string(),
  source: fc.constantFrom('harness', 'model', 'modelResolver'),
})
const outcome: fc.Arbitrary<LogBody> = fc.oneof(
  fc.constant(accepted),
  fc.record({
    kind: fc.constant('outcome' as const),
    outcome: fc.constantFrom('REJECTED' as const, 'INTERRUPTED' as const),
    status: fc.constantFrom('FAILED' as const, 'CANCELLED' as const),
    error: fc.option(errorView),
  }),
)
const attachment = fc.record({
  mediaType: fc.constantFrom('image/png', 'text/plain', 'application/pdf'),
  filename: fc.option(fc.string({ minLength: 1 })),
  url: fc.oneof(
    fc.constantFrom('data:,', 'data:image/png;base64,AQID'),
    fc.string().map((text) => `data:text/plain,${text}`),
  ),
})
const anyInput: fc.Arbitrary<LogBody> = fc.record({
  kind: fc.constant('input' as const),
  text: fc.oneof(fc.string({ minLength: 1 }), fc.constant('')),
  attachments: fc.array(attachment, { maxLength: 2 }),
})
const block = fc.record({ type: fc.constantFrom('text', 'reasoning'), text: fc.string() })
const signed = block.map((part): Json => ({ ...part, providerOptions: { p: { signature: 's' } } }))
const step: fc.Arbitrary<LogBody> = fc
  .array(fc.oneof(block, signed), { maxLength: 3 })
  .chain((content) => {
    if (content.length === 0) return fc.constant<LogBody>({ kind: 'step', output: { messages: [] } })
    return fc.constantFrom(answer(...content), by('test', answer(...content)), by('other', answer(...content)))
  })
const run: fc.Arbitrary<Run> = fc
  .tuple(anyInput, fc.array(step, { maxLength: 2 }), outcome)
  .map(([first, steps, last]) => [first, ...steps, last])

const contentOf = ({ content }: ModelMessage): readonly unknown[] => (typeof content === 'string' ? [content] : content)

test('G6: whatever happened in a session, its next run has a context that providers take', () => {
  fc.assert(
    fc.property(fc.array(run, { maxLength: 5 }), fc.string({ minLength: 1 }), (runs, prompt) => {
      const messages = contextOf(logOf(...runs, [input(prompt)]), 'test')
      const roles = messages.map(({ role }) => role)
      expect(roles[0]).toBe('user')
      expect(roles.some((role, index) => role === 'user' && roles[index - 1] === 'user')).toBe(false)
      expect(messages.every((message) => contentOf(message).length > 0)).toBe(true)
      expect(JSON.stringify(messages)).not.toMatch(/"text":""(?!,"providerOptions")/)
      expect(messages.at(-1)?.role).toBe('user')
      expect(contentOf(messages.at(-1)!).at(-1)).toEqual({ type: 'text', text: prompt })
      expect(roles.filter((role) => role !== 'user' && role !== 'assistant')).toEqual([])
    }),
  )
})

test('G6: every run leaves what the user asked, and its answer exactly if a step was finished', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), outcome), { maxLength: 6 }), (ends) => {
      const runs = ends.map(([stepped, end], index) => [
        input(`ask ${index}`),
        ...(stepped ? [said(`answer ${index}`)] : []),
        end,
      ])
      const texts = contextOfRuns(...runs).flatMap(([, ...all]) => all)
      for (const [index, [stepped, end]] of ends.entries()) {
        expect(texts.filter((text) => text === `ask ${index}`)).toHaveLength(1)
        expect(texts.filter((text) => text === `answer ${index}`)).toHaveLength(stepped ? 1 : 0)
        if (end === accepted) continue
        const next = texts.slice(texts.indexOf(`ask ${index}`) + (stepped ? 2 : 1))
        expect(next[0]).toMatch(/^\[The answer to this /)
      }
    }),
  )
})

import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Json, JsonObject } from '../../../src/kernel/json.ts'
import { isStreaming, type Part } from '../../../src/domain/message/message.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
  deleteGrant,
  draftOf,
  entryOf,
  executionOf,
  grantOf,
  insertChunk,
  insertEntry,
  insertExecution,
  insertGrant,
  insertLog,
  insertMessage,
  insertPart,
  insertPermission,
  insertRun,
  logOf,
  messageOf,
  openPartOf,
  partOf,
  permissionOf,
  promptOf,
  runOf,
  toolBodyOf,
} from '../support/rows.ts'
import { NOW, type World } from '../support/world.ts'

/** Texts that some database, driver or codec is known to change. */
const hostile: Readonly<Record<string, string>> = {
  NUL: 'a\0b\0',
  'control characters': '\u0001\u0007\u001B[31m\u007F\u0085\u2028\u2029\r\n\t',
  'a lone high surrogate': 'cut \uD83C',
  'a lone low surrogate': '\uDF88 cut',
  'surrogates the wrong way round': '\uDF88\uD83C',
  'characters of four bytes': '🎈👩‍👩‍👧‍👦𝔘𐍈',
  'characters that normalise': 'e\u0301 é \u212B ﬁ',
  'quotes and escapes': `'"\`\\ \\u0041 \\' '' "" ; DROP TABLE "Session"; -- $1 ? :a @b %s \${x}`,
  JSON: '{"a":[1,null]}',
  'names of prototypes': '__proto__',
  'a byte order mark and blanks': '\uFEFF  x  \u00A0',
  nothing: '',
}

/** A mebibyte in UTF-16 units, with something to trip over in every kibibyte. */
const mebibyte = `${'x'.repeat(1017)}🎈\0\uD83C"\\\n`.repeat(1024)

const everyText = [...Object.values(hostile), Object.values(hostile).join('|')]

/** Own keys that an assignment would lose. */
const trickyObject = (text: string): JsonObject =>
  JSON.parse(
    JSON.stringify({ z: text, a: [text, { [`k${text}`]: text }], 1: 0 }).replace('"z"', '"__proto__"'),
  ) as JsonObject

/** Equal, the order of keys included, which `toEqual` would not see. */
const expectSame = (actual: unknown, expected: unknown) => expect(JSON.stringify(actual)).toBe(JSON.stringify(expected))

const textOf = ({ body }: Part) => (isStreaming(body) ? body.text : undefined)

async function storeTexts({ create, commit }: World, texts: readonly string[]) {
  const session = await create({ metadata: trickyObject(texts.join('+')) })
  const message = messageOf(session, 0)
  const prompts = texts.map((text) => ({
    text,
    attachments: [{ mediaType: 'text/plain', filename: text, url: `data:,${text}` }],
    options: { modelHint: text, system: text, maxSteps: null, budget: null },
  }))
  const parts = texts.map((text, i) => partOf(message, i, { body: { kind: i % 2 ? 'text' : 'reasoning', text } }))
  const inputs = texts.map((text, i) => logOf(session, i, { body: { kind: 'input', text, attachments: [] } }))
  const steps = texts.map((text, i) =>
    logOf(session, texts.length + i, { body: { kind: 'step', output: trickyObject(text) } }),
  )
  await commit({
    rows: [
      ...prompts.map((prompt, i) => insertEntry(entryOf(session, i), prompt)),
      insertMessage(message),
      ...parts.map(insertPart),
      ...[...inputs, ...steps].map(insertLog),
    ],
  })
  return { session, message, prompts, parts, log: [...inputs, ...steps] }
}

async function expectTexts(
  world: World,
  { session, message, prompts, parts, log }: Awaited<ReturnType<typeof storeTexts>>,
) {
  const { stores } = world
  for (const [i, prompt] of prompts.entries()) expectSame(await stores.queue.prompt(session.key, i), prompt)
  expectSame(await stores.messages.parts([{ sessionKey: session.key, index: message.index }]), parts)
  expectSame(await stores.log.read(session.key, 0, log.length), log)
  expectSame((await world.reload(session)).metadata, session.metadata)
}

export const textsSuite = contractSuite('texts', (test) => {
  test('C10: prompts, parts, log entries and metadata keep every text exactly', async (world) => {
    const stored = await storeTexts(world, everyText)
    expect(Object.keys(stored.session.metadata ?? {})).toContain('__proto__')
    await expectTexts(world, stored)
  })

  test('C10: texts of a mebibyte come back whole', async ({ stores, scope, commit, create, reload }) => {
    const session = await create({ metadata: { text: mebibyte } })
    const message = messageOf(session, 0)
    const { messageId, runId } = message
    const part = partOf(message, 0, { body: { kind: 'text', text: mebibyte } })
    const log = logOf(session, 0, { body: { kind: 'step', output: [mebibyte] } })
    const error = { code: 'FAILED', message: mebibyte, source: 'model' }
    const body = { type: 'run.finished', runId, messageId, status: 'FAILED', error } as const
    const prompt = promptOf(mebibyte)
    await commit({
      rows: [insertEntry(entryOf(session, 0), prompt), insertMessage(message), insertPart(part), insertLog(log)],
      events: [draftOf(session, 0, body)],
    })
    const page = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 1 })
    const read = {
      prompt: await stores.queue.prompt(session.key, 0),
      parts: await stores.messages.parts([{ sessionKey: session.key, index: 0 }]),
      log: await stores.log.read(session.key, 0, 1),
      event: page.events[0]?.body,
      metadata: (await reload(session)).metadata,
    }
    // No `toEqual`: its explanation of a difference would take minutes.
    const kept = { prompt, parts: [part], log: [log], event: body, metadata: { text: mebibyte } }
    expect(isDeepStrictEqual(read, kept)).toBe(true)
  })

  test('C10: metadata may be any JSON object', async ({ create, reload }) => {
    const values: readonly Json[] = [0, -1.5, 1e21, 5e-324, '', null, true, [], {}, [[[]]], { a: { b: { c: [null] } } }]
    for (const value of values) {
      const metadata = { value, list: [value, value] }
      expectSame((await reload(await create({ metadata }))).metadata, metadata)
    }
    expect((await reload(await create({ metadata: {} }))).metadata).toEqual({})
    expect((await reload(await create({ metadata: null }))).metadata).toBeNull()
  })

  test('C10: chunks are joined exactly, also where they cut a character', async ({ stores, commit, create }) => {
    const session = await create()
    const message = messageOf(session, 1)
    const parts = everyText.map((_, i) => openPartOf(message, i))
    await commit({ rows: [insertMessage(message), ...parts.map(insertPart)] })
    const chunks = everyText.flatMap((text, i) => text.split('').map((unit, at) => chunkOf(parts[i]!, at, unit)))
    await commit({ rows: chunks.map(insertChunk) })
    const read = await stores.messages.parts([{ sessionKey: session.key, index: 1 }])
    expect(read.map(textOf)).toEqual(everyText)
    const big = openPartOf(message, everyText.length)
    // In the middle of a balloon.
    const half = mebibyte.length / 2 + 1018
    const halves = [chunkOf(big, 0, mebibyte.slice(0, half)), chunkOf(big, half, mebibyte.slice(half))]
    await commit({ rows: [insertPart(big), ...halves.map(insertChunk)] })
    const [found] = await stores.messages.findParts([{ sessionKey: session.key, index: 1, partIndex: big.partIndex }])
    expect(found && textOf(found) === mebibyte).toBe(true)
  })

  test('C10: errors and outcomes keep every text, in runs, entries, log and events', async (world) => {
    const { stores, scope, commit, create } = world
    const session = await create()
    const errors = everyText.map((message) => ({ code: 'FAILED', message, source: 'model' }))
    const runs = errors.map((error, i) =>
      runOf(session, i, { state: { kind: 'finished', outcome: { status: 'FAILED', error }, at: NOW } }),
    )
    const finished = { kind: 'finished', status: 'FAILED', runId: null, startedAt: null, finishedAt: NOW } as const
    const entries = errors.map((error, i) => entryOf(session, i, { state: { ...finished, error } }))
    const log = errors.map((error, i) =>
      logOf(session, i, { body: { kind: 'outcome', outcome: 'REJECTED', status: 'FAILED', error } }),
    )
    const drafts = errors.map((error, i) => {
      const { runId } = runs[i]!
      return draftOf(session, i, {
        type: 'run.finished',
        runId,
        messageId: messageOf(session, 1).messageId,
        status: 'FAILED',
        error,
      })
    })
    await commit({
      rows: [
        ...runs.map(insertRun),
        ...entries.map((entry) => insertEntry(entry, promptOf('x'))),
        ...log.map(insertLog),
      ],
      events: drafts,
    })
    const page = await stores.runs.pages([{ sessionKey: session.key, limit: 100 }])
    expectSame(page.flat().toReversed(), runs)
    const views = await stores.queue.views([session.key], 100)
    expectSame(views.get(session.key)?.toReversed(), entries)
    expectSame(await stores.log.read(session.key, 0, 100), log)
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 100 })
    expectSame(
      events.map(({ body }) => body),
      drafts.map(({ body }) => body),
    )
  })

  test('C10: requests for permission keep every text, also of their answers', async ({ stores, commit, create }) => {
    const session = await create()
    const requests = everyText.map((text, i) =>
      permissionOf(session, i, {
        kind: text,
        description: text,
        toolCallId: text,
        rememberKey: text,
        metadata: trickyObject(text),
        state: { kind: 'resolved', decision: 'REJECT', message: text, by: 'somebody', at: NOW },
      }),
    )
    await commit({ rows: requests.map(insertPermission) })
    expect((await stores.permissions.latest([session.key], 100)).toReversed()).toEqual(requests)
    const [read] = await stores.permissions.findMany([requests[0]!.permissionId])
    expectSame(read?.metadata, requests[0]?.metadata)
  })

  test('C10: a grant is for exactly the key that was granted', async ({ stores, commit, create }) => {
    const session = await create()
    const [texts, some] = [[...everyText, String.raw`\0`, String.raw`\d83c`, String.raw`\\`], everyText.slice(0, 5)]
    const grants = texts.map((key, i) => grantOf(session, key, { createdAt: NOW + i }))
    await commit({ rows: grants.map(insertGrant) })
    expect(await stores.permissions.grants([session.key])).toEqual(grants)
    await commit({ rows: some.map((key) => deleteGrant(grantOf(session, key))) })
    expect(await stores.permissions.grants([session.key])).toEqual(grants.slice(5))
  })

  test('C10: a grant may have a key of 512 bytes that are hard to store', async ({ stores, commit, create }) => {
    const session = await create()
    const noise = Array.from({ length: 512 }, (_, i) => String.fromCharCode((i * 7 + (i >> 3)) % 32)).join('')
    const keys = [noise, '\0'.repeat(512), '\\'.repeat(512), '\uD83C'.repeat(170), '\uDF88\uD83C'.repeat(85)]
    const grants = keys.map((key, i) => grantOf(session, key, { createdAt: NOW + i }))
    await commit({ rows: grants.map(insertGrant) })
    expect(await stores.permissions.grants([session.key])).toEqual(grants)
  })

  test('C10: tool calls keep every text, in parts, executions and the log', async ({ stores, commit, create }) => {
    const session = await create()
    const message = messageOf(session, 1)
    const bodies = everyText.map((text) =>
      toolBodyOf(text, {
        input: trickyObject(text),
        output: [text],
        error: { code: 'FAILED', message: text, source: 'tool' },
      }),
    )
    const parts = bodies.map((body, i) => partOf(message, i, { body }))
    const executions = everyText.map((text, i) =>
      executionOf(session, i, {
        toolCallId: text,
        toolName: text,
        state: { kind: 'reconciled', found: { outcome: 'SUCCEEDED', output: trickyObject(text) }, by: 'me', at: NOW },
      }),
    )
    const log = everyText.map((text, i) =>
      logOf(session, i, { body: { kind: 'intent', toolCallId: text, toolName: text } }),
    )
    await commit({
      rows: [
        insertMessage(message),
        ...parts.map(insertPart),
        ...executions.map(insertExecution),
        ...log.map(insertLog),
      ],
    })
    expectSame(await stores.messages.parts([{ sessionKey: session.key, index: 1 }]), parts)
    const found = await stores.executions.findMany(executions.map(({ intentId }) => intentId))
    expect(found.toSorted((a, b) => a.ordinal - b.ordinal)).toEqual(executions)
    expectSame(await stores.log.read(session.key, 0, 100), log)
  })

  test('C10: a request to abort keeps its message', async ({ stores, commit, create }) => {
    const session = await create()
    const runs = everyText.map((message, i) =>
      runOf(session, i, {
        state: { kind: 'generating', aborting: { kind: 'requested', message, by: 'somebody', at: NOW } },
      }),
    )
    await commit({ rows: runs.map(insertRun) })
    expectSame((await stores.runs.pages([{ sessionKey: session.key, limit: 100 }])).flat().toReversed(), runs)
  })
})

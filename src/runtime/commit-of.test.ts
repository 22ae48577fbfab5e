import { describe, expect, test } from 'vitest'
import type { GenerationId, PermissionId, QueueId, RunId, ScopeId, ScopeKey, SessionId, SessionKey } from '../kernel/ids.ts'
import { defaultLimits } from '../domain/limits.ts'
import { newSession } from '../domain/scope/new-session.ts'
import type { ContentCommand } from '../domain/session/commands.ts'
import { type Content, type ContentEvent, evolve } from '../domain/session/content.ts'
import { decideContent } from '../domain/session/decide.ts'
import type { RowWrite } from '../domain/session/writes.ts'
import { commitOf } from './commit-of.ts'

const queueId = 'queue-1' as QueueId
const runId = 'run-1' as RunId
const run = { runId, epoch: 1 }
const at = 1000
const prompt = { text: 'hello', attachments: [], options: { modelHint: null, system: null, maxSteps: null, budget: null } }
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, reasoningTokens: 0, cachedInputTokens: 0 }

const enqueue: ContentCommand = {
  type: 'enqueue',
  queueId,
  prompt,
  bytes: 5,
  whenBusy: 'ENQUEUE',
  scopeId: 'scope' as ScopeId,
  clientRequestId: null,
  delegation: null,
  by: 'somebody',
  limits: defaultLimits,
  at,
}
const admit: ContentCommand = { type: 'admit', queueId, prompt, runId, owner: 'a server', at }
const begin: ContentCommand = { type: 'begin', run, at }
const resolve: ContentCommand = { type: 'resolve', run, model: { provider: 'p', id: 'm' }, at }
const open = (partIndex: number): ContentCommand => ({ type: 'openPart', run, partIndex, kind: 'text', at })
const grow = (partIndex: number, offset: number, text: string): ContentCommand => ({
  type: 'growPart',
  run,
  partIndex,
  offset,
  text,
})
const close = (partIndex: number, text: string): ContentCommand => ({ type: 'closePart', run, partIndex, text, at })
const openTool = (partIndex: number): ContentCommand => ({
  type: 'openTool',
  run,
  partIndex,
  call: { toolCallId: `call ${partIndex}`, providerCallId: 'call', toolName: 'write', input: null, effect: 'once' },
  at,
})
const permissionId = 'permission-1' as PermissionId
const ask: ContentCommand = {
  type: 'askPermission',
  run,
  permission: {
    permissionId,
    kind: 'tool',
    description: 'May it?',
    toolCallId: 'call 0',
    rememberKey: 'write',
    metadata: null,
  },
  partIndex: 0,
  granted: 'not yet',
  at,
}
const allow: ContentCommand = {
  type: 'respond',
  permissionId,
  decision: 'ALWAYS',
  message: null,
  granted: 'not yet',
  by: 'ann',
  at,
}
const beginTool = (partIndex: number): ContentCommand => ({ type: 'beginTool', run, partIndex, at })
const endStep: ContentCommand = { type: 'endStep', run, output: 'said', usage, at }

function empty(): Content {
  const key = 7 as SessionKey
  const seed = { key, scopeKey: 3 as ScopeKey, sessionId: 's' as SessionId, generationId: 'g' as GenerationId }
  const { generationId, place, ...row } = newSession({
    ...seed,
    title: null,
    metadata: null,
    createdBy: 'somebody',
    at,
  })
  const { parentPath: _, ...standing } = place
  const session = {
    ...row,
    revision: 4,
    generation: { generationId, generationSequence: 2 },
    place: { ...standing, path: '000000000001000000000002' },
  }
  return { session, entries: [], run: null, open: [], permissions: [] }
}

/** The events of these commands, decided one after the other. */
function eventsOf(content: Content, commands: readonly ContentCommand[]): readonly ContentEvent[] {
  let state = content
  return commands.flatMap((command) => {
    const decision = decideContent(state, command)
    if (decision.kind !== 'accepted') throw new Error(`${command.type} was not accepted.`)
    state = decision.events.reduce(evolve, state)
    return decision.events
  })
}

const commitAll = (content: Content, commands: readonly ContentCommand[]) =>
  commitOf(content, eventsOf(content, commands))

const contentAfter = (...commands: readonly ContentCommand[]): Content => commitAll(empty(), commands).after

const said = ({ table, op }: RowWrite) => `${table} ${op}`

describe('commitOf', () => {
  test('moves the session one revision on, under the compare-and-set of what the decision saw', () => {
    const content = empty()
    const { commit, after } = commitAll(content, [enqueue])
    expect(commit.scopeKey).toBe(3)
    expect(commit.created).toEqual([])
    expect(commit.sessions).toEqual([{ row: after.session, expected: { revision: 4, epoch: 0, title: null } }])
    const folded = eventsOf(content, [enqueue]).reduce(evolve, content)
    expect(after).toEqual({ ...folded, session: { ...folded.session, revision: 5 } })
  })

  test('writes the epoch of an admission, and expects the one before', () => {
    const { commit, after } = commitAll(contentAfter(enqueue), [admit])
    expect(after.session).toMatchObject({ revision: 6, epoch: 1 })
    expect(commit.sessions).toEqual([{ row: after.session, expected: { revision: 5, epoch: 0, title: null } }])
    expect(commit.rows.map(said)).toEqual([
      'entry update',
      'run insert',
      'message insert',
      'part insert',
      'message insert',
      'log insert',
    ])
  })

  test('keeps the order of events', () => {
    const { commit } = commitAll(empty(), [enqueue, admit, begin, resolve, open(0)])
    expect(commit.events.map(({ body }) => body.type)).toEqual([
      'prompt.queued',
      'prompt.started',
      'run.started',
      'message.created',
      'message.created',
      'prompt.running',
      'part.created',
    ])
    expect(new Set(commit.events.map(({ sessionKey }) => sessionKey))).toEqual(new Set([7]))
  })

  test('a change of a row that the same commit inserts becomes part of the insert', () => {
    const { commit, after } = commitAll(empty(), [enqueue, admit, begin, resolve, endStep])
    expect(commit.rows.map(said).toSorted((a, b) => a.localeCompare(b))).toEqual([
      'entry insert',
      'log insert',
      'log insert',
      'message insert',
      'message insert',
      'part insert',
      'run insert',
    ])
    expect(commit.rows[0]).toEqual({ table: 'entry', op: 'insert', row: after.entries[0], prompt })
    expect(commit.rows.find(({ table }) => table === 'run')).toEqual({ table: 'run', op: 'insert', row: after.run })
    expect(after.run).toMatchObject({ steps: 1, usage, state: { kind: 'generating' } })
  })

  test('several changes of a row become the last one', () => {
    const { commit, after } = commitAll(contentAfter(enqueue, admit), [begin, resolve, endStep, endStep])
    expect(commit.rows.map(said)).toEqual(['entry update', 'log insert', 'run update', 'log insert'])
    expect(commit.rows[2]).toEqual({ table: 'run', op: 'update', row: after.run })
    expect(after.run?.steps).toBe(2)
    const indexes = commit.rows.flatMap((write) => (write.table === 'log' ? [write.row.index] : []))
    expect(indexes).toEqual([1, 2])
  })

  test('rolls up the usage of every step on the path of the session', () => {
    const { commit, after } = commitAll(contentAfter(enqueue, admit, resolve), [endStep, endStep])
    const paths = ['000000000001', '000000000001000000000002']
    const rollUp = { scopeKey: 3, paths, usage, descendants: 0 }
    expect(commit.rollUps).toEqual([rollUp, rollUp])
    expect(after.session.usage.totalTokens).toBe(6)
  })

  test('text that a part gains is kept in chunks while it streams', () => {
    const before = contentAfter(enqueue, admit, resolve, open(0), open(1))
    const { commit } = commitAll(before, [grow(0, 0, 'a'), grow(1, 0, 'x'), grow(0, 1, 'b')])
    const address = { sessionKey: 7, messageIndex: 1 }
    expect(commit.rows).toEqual([
      { table: 'chunk', op: 'insert', row: { ...address, partIndex: 0, offset: 0, text: 'a' } },
      { table: 'chunk', op: 'insert', row: { ...address, partIndex: 1, offset: 0, text: 'x' } },
      { table: 'chunk', op: 'insert', row: { ...address, partIndex: 0, offset: 1, text: 'b' } },
    ])
    expect(commit.events).toEqual([])
  })

  test('a part that completes drops the chunks of the same commit and folds older ones, its own alone', () => {
    const before = contentAfter(enqueue, admit, resolve, ...Array.from({ length: 11 }, (_, i) => open(i)))
    const { commit } = commitAll(before, [grow(1, 0, 'a'), grow(10, 0, 'x'), grow(1, 1, 'b'), close(1, 'abc')])
    expect(commit.rows.map(said)).toEqual(['chunk insert', 'part update', 'chunk fold'])
    expect(commit.rows[0]).toMatchObject({ row: { partIndex: 10, text: 'x' } })
    expect(commit.rows[1]).toMatchObject({ row: { partIndex: 1, status: 'COMPLETED', body: { text: 'abc' } } })
    expect(commit.rows[2]).toEqual({
      table: 'chunk',
      op: 'fold',
      row: { sessionKey: 7, messageIndex: 1, partIndex: 1 },
    })
  })

  test('a part that opens and completes in one commit is one row', () => {
    const before = contentAfter(enqueue, admit, resolve)
    const { commit, after } = commitAll(before, [open(0), grow(0, 0, 'a'), close(0, 'ab')])
    const parts = commit.rows.filter(({ table }) => table === 'part' || table === 'chunk')
    expect(parts).toMatchObject([{ table: 'part', op: 'insert', row: { status: 'COMPLETED', body: { text: 'ab' } } }])
    expect(commit.events.map(({ body }) => body.type)).toEqual(['part.created', 'part.completed'])
    expect(after.open).toEqual([])
    expect(after.run?.partCount).toBe(1)
  })

  test('a call, its request and its execution are one row each, however much of them happens in one commit', () => {
    const before = contentAfter(enqueue, admit, begin, resolve)
    const conclude = { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts: new Map(), at } as const
    const { commit } = commitAll(before, [openTool(0), ask, allow, beginTool(0), conclude])
    const rows = commit.rows.filter(({ table }) => ['part', 'permission', 'grant', 'execution'].includes(table))
    expect(rows).toMatchObject([
      { table: 'part', op: 'insert', row: { status: 'UNCERTAIN', body: { permissionId, begunAt: at } } },
      { table: 'permission', op: 'insert', row: { state: { kind: 'resolved', decision: 'ALWAYS', by: 'ann' } } },
      { table: 'grant', op: 'insert', row: { rememberKey: 'write', permissionId } },
      { table: 'execution', op: 'insert', row: { intentId: 'run-1.call.0', state: { kind: 'uncertain' } } },
    ])
  })

  test('calls and requests of one commit are rows of their own', () => {
    const before = contentAfter(enqueue, admit, begin, resolve, openTool(0), openTool(1), beginTool(0), beginTool(1))
    const conclude = { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts: new Map(), at } as const
    const { rows } = commitAll(before, [conclude]).commit
    const executions = rows.flatMap((write) => (write.table === 'execution' ? [write.row.ordinal] : []))
    expect([executions, rows.filter(({ table }) => table === 'part').length]).toEqual([[0, 1], 2])
  })

  test('a resumption is one commit under the epoch before: the run and its message once, each call once, text folded', () => {
    const steps = [openTool(0), openTool(1), endStep, beginTool(0), beginTool(1), open(2), grow(2, 0, 'so f')]
    const before = contentAfter(enqueue, admit, begin, resolve, ...steps)
    const texts = new Map([[2, 'so f']])
    const { commit, after } = commitAll(before, [{ type: 'resume', run, owner: 'another server', texts, at }])
    const { revision } = before.session
    expect(commit.sessions).toMatchObject([{ row: after.session, expected: { revision, epoch: 1 } }])
    expect(after.session).toMatchObject({ epoch: 2, owner: 'another server', revision: revision + 1 })
    expect(commit.rows).toMatchObject([
      { table: 'part', op: 'update', row: { partIndex: 2, status: 'INTERRUPTED', body: { text: 'so f' } } },
      { table: 'chunk', op: 'fold', row: { partIndex: 2 } },
      { table: 'part', op: 'update', row: { partIndex: 0, status: 'UNCERTAIN', finishedAt: null } },
      { table: 'execution', op: 'insert', row: { ordinal: 0, partIndex: 0 } },
      { table: 'part', op: 'update', row: { partIndex: 1, status: 'UNCERTAIN', finishedAt: null } },
      { table: 'execution', op: 'insert', row: { ordinal: 1, partIndex: 1 } },
      { table: 'run', op: 'update', row: after.run },
      { table: 'message', op: 'update', row: { index: 1, superseded: [{ from: 2, to: 3 }] } },
    ])
    expect(commit.rows).toHaveLength(8)
  })

  test('of a grant the last thing counts, and what was deleted first stays deleted', () => {
    const before = contentAfter(enqueue, admit, resolve, openTool(0))
    const grant = { sessionKey: 7 as SessionKey, rememberKey: 'write', permissionId, grantedBy: 'me', createdAt: at }
    const revoke: ContentCommand = { type: 'revokeGrant', grant, at }
    const saidOfGrants = (...commands: readonly ContentCommand[]) =>
      commitAll(before, commands).commit.rows.filter(({ table }) => table === 'grant').map(said)
    expect(saidOfGrants(ask, allow)).toEqual(['grant insert'])
    expect(saidOfGrants(ask, allow, revoke)).toEqual(['grant delete'])
    expect(saidOfGrants(revoke, ask, allow)).toEqual(['grant delete', 'grant insert'])
    expect(saidOfGrants(revoke, ask, allow, revoke)).toEqual(['grant delete'])
  })

  test('a run that ends is written with its end', () => {
    const before = contentAfter(enqueue, admit, begin, resolve, open(0))
    const texts = new Map([[0, 'cut off']])
    const { commit, after } = commitAll(before, [
      { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts, at },
    ])
    expect(after).toMatchObject({ run: null, open: [], entries: [], session: { work: { kind: 'idle' } } })
    const runs = commit.rows.filter(({ table }) => table === 'run')
    expect(runs).toMatchObject([
      { op: 'update', row: { state: { kind: 'finished', outcome: { status: 'COMPLETED' } } } },
    ])
    const entries = commit.rows.filter(({ table }) => table === 'entry')
    expect(entries).toMatchObject([{ op: 'update', row: { state: { kind: 'finished', status: 'COMPLETED' } } }])
  })
})

import { describe, expect, test } from 'vitest'
import type { GenerationId, PermissionId, QueueId, RunId, ScopeId, SessionId, StorageKey, WriteId } from '../kernel/ids.ts'
import { defaultLimits } from '../domain/limits.ts'
import { noUsage } from '../domain/run/usage.ts'
import { newSession } from '../domain/scope/new-session.ts'
import type { AskPermission, ContentCommand } from '../domain/session/commands.ts'
import type { Content } from '../domain/session/content.ts'
import { decideContent } from '../domain/session/decide.ts'
import type { Effect } from '../domain/tool/call.ts'
import { memoryStores } from '../stores/memory/memory-stores.ts'
import { commitOf } from './commit-of.ts'
import { loadContent } from './load-content.ts'

const at = 1000
const runId = 'run-1' as RunId
const run = { runId, epoch: 1 }
const queueId = 'queue-0' as QueueId
const prompt = { text: 'hello', attachments: [], options: { modelHint: null, system: null, maxSteps: null, budget: null } }

const enqueue = (ordinal: number): ContentCommand => ({
  type: 'enqueue',
  queueId: `queue-${ordinal}` as QueueId,
  prompt,
  bytes: 5,
  whenBusy: 'ENQUEUE',
  scopeId: 'scope' as ScopeId,
  clientRequestId: null,
  delegation: null,
  by: 'somebody',
  limits: defaultLimits,
  at,
})

const openTool = (partIndex: number, effect: Effect = 'once'): ContentCommand => ({
  type: 'openTool',
  run,
  partIndex,
  call: {
    toolCallId: `call ${partIndex}`,
    providerCallId: 'call',
    toolName: 'write',
    input: { path: ['a'] },
    effect,
  },
  at,
})

const ask = (partIndex: number | null, permissionId: string): AskPermission => ({
  type: 'askPermission',
  run,
  permission: {
    permissionId: permissionId as PermissionId,
    kind: 'tool',
    description: 'May it?',
    toolCallId: null,
    rememberKey: null,
    metadata: null,
  },
  partIndex,
  granted: 'not yet',
  at,
})

const answer = { type: 'respond', decision: 'ONCE', message: null, granted: 'not yet', by: 'ann', at } as const

async function openSession() {
  const stores = memoryStores({ clock: { now: () => at } })
  const { key: scopeKey } = await stores.scopes.ensure('scope' as StorageKey, at)
  const key = await stores.sessions.reserveKeys(1)
  const seed = { key, scopeKey, sessionId: 's' as SessionId, generationId: 'g' as GenerationId }
  const session = newSession({ ...seed, title: null, metadata: null, createdBy: 'somebody', at })
  const nothing = { scopeKey, created: [], sessions: [], rollUps: [], rows: [], events: [] }
  await stores.unit.commit('creation' as WriteId, [{ ...nothing, created: [session] }])

  let writes = 0
  const commit = async (content: Content, command: ContentCommand): Promise<Content> => {
    const decision = decideContent(content, command)
    if (decision.kind !== 'accepted') throw new Error(`${command.type} was not accepted.`)
    const made = commitOf(content, decision.events)
    await stores.unit.commit(`write ${++writes}` as WriteId, [made.commit])
    return made.after
  }
  return { stores, key, commit }
}

describe('loadContent', () => {
  test('knows no session that is not there', async () => {
    const { stores } = await openSession()
    expect(await loadContent(stores, await stores.sessions.reserveKeys(1))).toBeUndefined()
  })

  test('loads a session without its totals, its queue in order, and no run while none is active', async () => {
    const { stores, key, commit } = await openSession()
    let content = await loadContent(stores, key)
    expect(content).toMatchObject({ entries: [], run: null, open: [], session: { key, revision: 0 } })
    expect(content?.session).not.toHaveProperty('tree')
    for (const ordinal of [0, 1]) content = await commit(content!, enqueue(ordinal))
    expect(await loadContent(stores, key)).toEqual(content)
    expect(content?.entries).toHaveLength(2)
  })

  test('loads the active run with the parts that still grow, and not those that are complete', async () => {
    const { stores, key, commit } = await openSession()
    const commands: readonly ContentCommand[] = [
      enqueue(0),
      { type: 'admit', queueId, prompt, runId, owner: 'a server', at },
      { type: 'resolve', run, model: { provider: 'p', id: 'm' }, at },
      { type: 'openPart', run, partIndex: 0, kind: 'reasoning', at },
      { type: 'openPart', run, partIndex: 1, kind: 'text', at },
      { type: 'openPart', run, partIndex: 2, kind: 'text', at: at + 1 },
      { type: 'closePart', run, partIndex: 1, text: 'done', at },
    ]
    let content = (await loadContent(stores, key))!
    for (const command of commands) content = await commit(content, command)
    const loaded = await loadContent(stores, key)
    expect(loaded).toEqual(content)
    expect(loaded?.run).toMatchObject({ runId, partCount: 3 })
    expect(loaded?.open).toEqual([
      { partIndex: 0, kind: 'reasoning', startedAt: at },
      { partIndex: 2, kind: 'text', startedAt: at + 1 },
    ])
    content = await commit(content, { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts: new Map(), at })
    expect(await loadContent(stores, key)).toEqual(content)
    expect(content).toMatchObject({ run: null, open: [] })
  })

  test('loads the calls of the active run as they stand, and the requests that wait', async () => {
    const { stores, key, commit } = await openSession()
    const done = { status: 'COMPLETED', output: 1 } as const
    const commands: readonly ContentCommand[] = [
      enqueue(0),
      { type: 'admit', queueId, prompt, runId, owner: 'a server', at },
      { type: 'resolve', run, model: { provider: 'p', id: 'm' }, at },
      ...[0, 1, 2, 3, 4].map((partIndex) => openTool(partIndex)),
      { type: 'beginTool', run, partIndex: 1, at: at + 1 },
      ask(2, 'waits'),
      ask(3, 'answered'),
      { ...answer, permissionId: 'answered' as PermissionId },
      ask(null, 'asked by the application'),
      { type: 'endTool', run, partIndex: 4, result: done, at },
    ]
    let content = (await loadContent(stores, key))!
    for (const command of commands) {
      content = await commit(content, command)
      expect(await loadContent(stores, key)).toEqual(content)
    }
    expect(content.open.map((part) => part.kind === 'tool' && part.state)).toEqual([
      { kind: 'pending' },
      { kind: 'running', since: at + 1 },
      { kind: 'awaiting', permissionId: 'waits' },
      { kind: 'pending' },
    ])
    expect(content.permissions.map(({ permissionId }) => permissionId)).toEqual(['waits', 'asked by the application'])
    content = await commit(content, { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts: new Map(), at })
    expect(await loadContent(stores, key)).toEqual(content)
    expect(content).toMatchObject({ run: null, open: [], permissions: [] })
  })

  test('loads the calls of a run that was resumed: what is unknown, and what had begun and can begin again', async () => {
    const { stores, key, commit } = await openSession()
    const resumed = { runId, epoch: 2 }
    const repeatable = (partIndex: number): ContentCommand => openTool(partIndex, 'repeatable')
    const commands: readonly ContentCommand[] = [
      enqueue(0),
      { type: 'admit', queueId, prompt, runId, owner: 'a server', at },
      { type: 'resolve', run, model: { provider: 'p', id: 'm' }, at },
      openTool(0),
      repeatable(1),
      repeatable(2),
      openTool(3),
      { type: 'endStep', run, output: null, usage: noUsage, at },
      ...[0, 1, 2].map((partIndex): ContentCommand => ({ type: 'beginTool', run, partIndex, at: at + 1 })),
      ask(3, 'waits'),
      openTool(4),
      { type: 'openPart', run, partIndex: 5, kind: 'text', at },
      { type: 'resume', run, owner: 'another server', texts: new Map(), at: at + 2 },
      { ...ask(2, 'asks again'), run: resumed },
    ]
    let content = (await loadContent(stores, key))!
    for (const command of commands) {
      content = await commit(content, command)
      expect(await loadContent(stores, key)).toEqual(content)
    }
    expect(content.open.map((part) => part.kind === 'tool' && part.state)).toEqual([
      { kind: 'unknown', since: at + 1 },
      { kind: 'pending', begunBefore: at + 1 },
      { kind: 'awaiting', permissionId: 'asks again', begunBefore: at + 1 },
      { kind: 'awaiting', permissionId: 'waits' },
    ])
    expect(content.session).toMatchObject({ epoch: 2, owner: 'another server' })
    expect(content.run).toMatchObject({ epoch: 2, attempts: 2, stepFrom: 6, superseded: [{ from: 4, to: 6 }] })
  })

  test('reads again what ended after the session was read', async () => {
    const { stores, key, commit } = await openSession()
    let content = await commit((await loadContent(stores, key))!, enqueue(0))
    content = await commit(content, { type: 'admit', queueId, prompt, runId, owner: 'a server', at })
    let reads = 0
    const sessions = {
      ...stores.sessions,
      findMany: async (keys: Parameters<typeof stores.sessions.findMany>[0]) => {
        const before = await stores.sessions.findMany(keys)
        const conclude = { type: 'conclude', run, outcome: { status: 'COMPLETED' }, texts: new Map(), at } as const
        if (++reads === 1) content = await commit(content, conclude)
        return before
      },
    }
    expect(await loadContent({ ...stores, sessions }, key)).toEqual(content)
    expect([content.run, reads]).toEqual([null, 2])
  })

  test('gives up on rows that always contradict each other', async () => {
    const { stores, key, commit } = await openSession()
    const content = await commit((await loadContent(stores, key))!, enqueue(0))
    await commit(content, { type: 'admit', queueId, prompt, runId, owner: 'a server', at })
    const runs = { ...stores.runs, find: async () => undefined }
    await expect(loadContent({ ...stores, runs }, key)).rejects.toThrow('contradict each other')
  })
})

import { expect } from 'vitest'
import type { QueueId, RunId } from '../../../src/kernel/ids.ts'
import type { Delegation } from '../../../src/domain/delegation/delegation.ts'
import { prefixesOf } from '../../../src/domain/session/session.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  draftOf,
  entryOf,
  insertEntry,
  insertMessage,
  insertPart,
  messageOf,
  partOf,
  toolBodyOf,
  updatePart,
  usageOf,
} from '../support/rows.ts'
import { failureOf, nextRow, NOW, type World } from '../support/world.ts'

const delegationOf = ({ key, sessionId, generation }: StoredSession): Delegation => ({
  parentKey: key,
  parentSessionId: sessionId,
  parentGeneration: generation,
  parentQueueId: 'queue \uD83C"\0' as QueueId,
  parentRunId: 'run' as RunId,
  toolCallId: 'call \uDF88',
})

const body = (child: StoredSession) =>
  toolBodyOf('delegate', {
    effect: 'child',
    begunAt: NOW,
    child: {
      sessionKey: child.key,
      sessionId: child.sessionId,
      generationId: child.generation.generationId,
      queueId: 'the task' as QueueId,
      model: { provider: 'offline', id: 'echo' },
    },
  })

/** What a run that delegates changes in one commit: a new session with a prompt, and something of its own. */
async function delegating({ seed, create }: World) {
  const root = await create()
  const parent = await create({ parent: root })
  const child = await seed({ parent })
  const work = { kind: 'queued', since: NOW } as const
  const created = { ...child, work, next: { ...child.next, entry: 1 } }
  const { generationId, place, ...rest } = created
  const asStored = { ...rest, generation: { generationId, generationSequence: 0 }, place: { ...place, path: '' } }
  const entry = { ...entryOf({ ...asStored }, 0), delegation: delegationOf(parent) }
  const rollUp = { scopeKey: child.scopeKey, paths: prefixesOf(parent.place.path), usage: usageOf(0), descendants: 1 }
  const commit = {
    created: [created],
    sessions: [nextRow(parent)],
    rollUps: [rollUp],
    rows: [insertEntry(entry)],
    events: [draftOf(created, 0), draftOf(parent, 1)],
  }
  return { root, parent, child: created, entry, commit }
}

export const delegationSuite = contractSuite('delegation', (test) => {
  test('C100: a child, its first prompt and what changes above it are one change', async (world) => {
    const { stores, commit, reload } = world
    const { root, parent, child, entry, commit: change } = await delegating(world)
    await commit(change)
    const [stored] = await stores.sessions.findMany([child.key])
    expect(stored).toMatchObject({
      work: { kind: 'queued' },
      next: { entry: 1 },
      place: { parentKey: parent.key, rootKey: root.key, depth: 2 },
    })
    expect(stored?.place.path.startsWith(parent.place.path)).toBe(true)
    expect(await stores.queue.outstanding(child.key)).toEqual([entry])
    expect(await reload(parent)).toMatchObject({ revision: parent.revision + 1, tree: { descendants: 1 } })
    expect((await reload(root)).tree.descendants).toBe(root.tree.descendants + 1)
    const path = root.place.path
    expect((await stores.sessions.subtreeStatuses(root.scopeKey, [path])).get(path)).toBe('BUSY')
  })

  test('C100: there is no child when its parent has changed meanwhile', async (world) => {
    const { stores, commit, reload } = world
    const { root, parent, child, entry, commit: change } = await delegating(world)
    await commit({ sessions: [nextRow(parent)] })
    expect(await failureOf(commit(change))).toBe('conflict')
    await commit({ sessions: [nextRow(await reload(parent), { epoch: parent.epoch + 1 })] })
    expect(await failureOf(commit(change))).toBe('fenced')
    expect(await stores.sessions.findMany([child.key])).toEqual([])
    expect(await stores.queue.findMany([entry.queueId])).toEqual([])
    expect((await reload(root)).tree).toEqual(root.tree)
  })

  test('C100: nothing changes above a child whose id is taken', async (world) => {
    const { stores, commit, create, reload } = world
    const { parent, child, commit: change } = await delegating(world)
    const other = await create({ sessionId: child.sessionId })
    expect(await failureOf(commit(change))).toBe('conflict')
    expect((await reload(parent)).revision).toBe(parent.revision)
    expect((await stores.sessions.find(other.scopeKey, child.sessionId))?.key).toBe(other.key)
  })

  test('C101: what prompts and calls say of a delegation comes back as it was put in', async ({ stores, commit, create }) => {
    const parent = await create()
    const child = await create({ parent })
    const entry = { ...entryOf(child, 0), delegation: delegationOf(parent) }
    const message = messageOf(parent, 1)
    const part = { ...partOf(message, 0), body: { ...body(child), child: null } }
    await commit({ rows: [insertEntry(entry), insertMessage(message), insertPart(part)] })
    const linked = { ...part, body: body(child) }
    await commit({ rows: [updatePart(linked)] })
    expect(await stores.queue.findMany([entry.queueId])).toEqual([entry])
    expect((await stores.queue.views([child.key], 1)).get(child.key)).toEqual([entry])
    expect(await stores.messages.parts([message])).toEqual([linked])
  })
})

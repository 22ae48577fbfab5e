import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
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
  insertRequest,
  insertRun,
  logOf,
  messageOf,
  openPartOf,
  partOf,
  permissionOf,
  requestOf,
  runOf,
} from '../support/rows.ts'
import { nextRow } from '../support/world.ts'

export const numbersSuite = contractSuite('numbers', (test) => {
  test('C11: counters, times and ranks are exact up to the largest safe integer', async (world) => {
    const { stores, scope, commit, create, reload } = world
    const max = Number.MAX_SAFE_INTEGER
    const usage = {
      inputTokens: max,
      outputTokens: max - 1,
      totalTokens: max - 2,
      reasoningTokens: max - 3,
      cachedInputTokens: 0,
    }
    const session = await create({ at: max - 9, row: { revision: max - 1, epoch: max - 1 } })
    const counted = { entry: max, run: max - 1, message: max - 2, log: max - 3 }
    const next = { ...counted, permission: max - 4, execution: max - 5 }
    const write = nextRow(session, { epoch: max, updatedAt: max, next, usage, work: { kind: 'idle', since: max } })
    const run = runOf(session, max, {
      epoch: max,
      startedAt: max,
      userMessageIndex: max - 1,
      assistantMessageIndex: max,
      usage,
    })
    const message = messageOf(session, 0, { index: max, createdAt: max, updatedAt: max })
    const part = { ...openPartOf(message, 0), startedAt: max }
    const closed = partOf(message, 1, { startedAt: max, finishedAt: max })
    const entries = [
      entryOf(session, max, { rank: max, bytes: max, createdAt: max }),
      entryOf(session, max - 1, { rank: -max }),
      entryOf(session, max - 2, { rank: max - 1 }),
    ]
    const log = logOf(session, max, { createdAt: max })
    const asked = [
      permissionOf(session, max, { createdAt: max }),
      permissionOf(session, max - 1, { createdAt: max - 1 }),
    ]
    const grants = [grantOf(session, 'a', { createdAt: max - 1 }), grantOf(session, 'b', { createdAt: max })]
    const execution = executionOf(session, max, { messageIndex: max - 1, startedAt: max - 2, uncertainSince: max - 3, partIndex: 0 })
    const request = requestOf(session, 'max', { createdAt: max })
    await commit({
      sessions: [write],
      rollUps: [{ scopeKey: scope.key, paths: [session.place.path], usage, descendants: max }],
      rows: [
        ...entries.map((entry) => insertEntry(entry)),
        insertRun(run),
        insertMessage(message),
        insertPart(part),
        insertPart(closed),
        insertChunk(chunkOf(part, max, 'b')),
        insertChunk(chunkOf(part, max - 1, 'a')),
        insertLog(log),
        ...asked.map(insertPermission),
        ...grants.map(insertGrant),
        insertExecution(execution),
        insertRequest(request),
      ],
      events: [{ ...draftOf(session, 0), timestamp: max }],
    })
    expect(await reload(session)).toEqual({ ...write.row, tree: { usage, descendants: max } })
    expect(await stores.queue.outstanding(session.key)).toEqual([entries[1], entries[2], entries[0]])
    expect(await stores.runs.find(session.key, max)).toEqual(run)
    const pages = await stores.messages.pages([{ sessionKey: session.key, after: max - 1, take: 'first', limit: 2 }])
    expect(pages).toEqual([[message]])
    const parts = await stores.messages.parts([{ sessionKey: session.key, index: max }])
    expect(parts).toEqual([{ ...part, body: { kind: 'text', text: 'ab' } }, closed])
    expect(await stores.log.read(session.key, max, 2)).toEqual([log])
    expect(await stores.permissions.pending([session.key])).toEqual(asked.toReversed())
    const later = { createdAt: max - 1, permissionId: asked[1]!.permissionId }
    expect(await stores.permissions.inbox(scope.key, later, 2)).toEqual([asked[0]])
    expect(await stores.permissions.grants([session.key])).toEqual(grants)
    expect(await stores.executions.uncertain([session.key], 2)).toEqual([execution])
    expect(await stores.requests.find(scope.key, session.key, 'max')).toEqual(request)
    const { events } = await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 2 })
    expect(events.map(({ timestamp }) => timestamp)).toEqual([max])
    const since = await stores.sessions.page({ scopeKey: scope.key, filter: { updatedSince: max }, limit: 2 })
    expect(since.map(({ key }) => key)).toEqual([session.key])
    const position = { updatedAt: max, generationSequence: session.generation.generationSequence + 1 }
    const after = await stores.sessions.page({ scopeKey: scope.key, filter: {}, after: position, limit: 2 })
    expect(after.map(({ key }) => key)).toEqual([session.key])
  })
})

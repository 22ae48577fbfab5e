import { expect } from 'vitest'
import type { IntentId, MessageId, PermissionId, QueueId, RunId, ScopeKey, SessionKey } from '../../../src/kernel/ids.ts'
import { contractSuite } from '../support/contract-suite.ts'
import {
  chunkOf,
  deleteGrant,
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
  reconciledState,
  resolvedState,
  runOf,
  updateEntry,
  updateExecution,
  updatePermission,
} from '../support/rows.ts'
import { nextRow, NOW } from '../support/world.ts'

/** More than a statement of any database takes as single parameters. */
const MANY = 40_000

const range = (length: number) => Array.from({ length }, (_, i) => i)
/** Keys that nothing has. */
const unknownKeys = range(MANY).map((i) => (8_000_000_000_000 + i) as SessionKey)
const unknownIds = range(MANY).map((i) => `unknown ${i}`)

export const longListsSuite = contractSuite('long lists', (test) => {
  test('C27: thousands of keys may be asked for at once', async ({ stores, scope, commit, create }) => {
    const session = await create()
    const child = await create({ parent: session })
    const [entry, run, message] = [entryOf(session, 0), runOf(session, 0), messageOf(session, 0)]
    const part = partOf(message, 0)
    await commit({ rows: [insertEntry(entry), insertRun(run), insertMessage(message), insertPart(part)] })
    await commit({ sessions: [nextRow(session, { work: { kind: 'queued', since: NOW } })] })
    const keys = [...unknownKeys, session.key]
    const some = keys.slice(-3000)
    const addresses = some.map((sessionKey) => ({ sessionKey, index: 0 }))
    const { sessions, queue, runs, messages } = stores

    expect(await stores.scopes.findMany([...some, scope.key].map((key) => Number(key) as ScopeKey))).toHaveLength(1)
    expect((await sessions.findMany(keys)).map(({ key }) => key)).toEqual([session.key])
    expect(await sessions.findBySequence(scope.key, [...range(3000).map((i) => i + 3), 2])).toEqual([child])
    expect((await sessions.countChildren(some)).at(-1)).toBe(1)
    const paths = [...unknownIds.slice(-3000), session.place.path]
    expect(await sessions.subtreeStatuses(scope.key, paths)).toEqual(new Map([[session.place.path, 'BUSY']]))
    expect(await queue.findMany([...unknownIds, entry.queueId] as QueueId[])).toEqual([entry])
    expect((await queue.views(some, 1)).get(session.key)).toEqual([entry])
    expect(await runs.findMany([...unknownIds, run.runId] as RunId[])).toEqual([run])
    expect(await runs.latest(some)).toEqual([run])
    expect(await messages.findMany([...unknownIds, message.messageId] as MessageId[])).toEqual([message])
    expect(await messages.parts(addresses)).toEqual([part])
    expect(await messages.findParts(addresses.map((address) => ({ ...address, partIndex: 0 })))).toEqual([part])
  })

  test('C27: thousands may be asked for what they wait for', async ({ stores, commit, create }) => {
    const session = await create()
    const [permission, grant, execution] = [permissionOf(session, 0), grantOf(session, 'key'), executionOf(session, 0)]
    await commit({ rows: [insertPermission(permission), insertGrant(grant), insertExecution(execution)] })
    const some = [...unknownKeys, session.key].slice(-3000)
    const { permissions, executions } = stores
    expect(await permissions.findMany([...unknownIds, permission.permissionId] as PermissionId[])).toEqual([permission])
    expect(await permissions.pending(some)).toEqual([permission])
    expect(await permissions.latest(some, 2)).toEqual([permission])
    expect(await permissions.ofRuns([...unknownIds, permission.runId] as RunId[])).toEqual([permission])
    expect(await permissions.grants(some)).toEqual([grant])
    expect(await executions.findMany([...unknownIds, execution.intentId] as IntentId[])).toEqual([execution])
    expect(await executions.uncertain(some, 2)).toEqual([execution])
  })

  test('C27: a request is found once, however often its session is asked for', async ({ stores, commit, create }) => {
    const session = await create()
    const [permission, grant, execution] = [permissionOf(session, 0), grantOf(session, 'key'), executionOf(session, 0)]
    await commit({ rows: [insertPermission(permission), insertGrant(grant), insertExecution(execution)] })
    const twice = <T>(value: T) => [value, value]
    const keys = twice(session.key)
    const { permissions, executions } = stores
    expect(await permissions.findMany(twice(permission.permissionId))).toHaveLength(1)
    expect(await permissions.pending(keys)).toHaveLength(1)
    expect(await permissions.latest(keys, 5)).toHaveLength(1)
    expect(await permissions.ofRuns(twice(permission.runId))).toHaveLength(1)
    expect(await permissions.grants(keys)).toHaveLength(1)
    expect(await executions.findMany(twice(execution.intentId))).toHaveLength(1)
    expect(await executions.uncertain(keys, 5)).toHaveLength(1)
    expect((await stores.sessions.subtreeStatuses(session.scopeKey, twice(session.place.path))).size).toBe(0)
    expect(await permissions.purge(keys, 5)).toBe(2)
  })

  test('C27: a row is found once, however often its key is asked for', async ({ stores, scope, commit, create }) => {
    const session = await create()
    const [entry, run, message] = [entryOf(session, 0), runOf(session, 0), messageOf(session, 0)]
    const part = partOf(message, 0)
    await commit({ rows: [insertEntry(entry), insertRun(run), insertMessage(message), insertPart(part)] })
    const twice = <T>(value: T) => [value, value]
    const address = { sessionKey: session.key, index: 0 }
    expect(await stores.scopes.findMany(twice(scope.key))).toHaveLength(1)
    expect(await stores.sessions.findMany(twice(session.key))).toHaveLength(1)
    expect(await stores.sessions.findBySequence(scope.key, twice(1))).toHaveLength(1)
    expect(await stores.queue.findMany(twice(entry.queueId))).toHaveLength(1)
    expect((await stores.queue.views(twice(session.key), 5)).get(session.key)).toHaveLength(1)
    expect(await stores.runs.findMany(twice(run.runId))).toHaveLength(1)
    expect(await stores.runs.latest(twice(session.key))).toHaveLength(1)
    expect(await stores.messages.findMany(twice(message.messageId))).toHaveLength(1)
    expect(await stores.messages.parts(twice(address))).toHaveLength(1)
    expect(await stores.messages.findParts(twice({ ...address, partIndex: 0 }))).toHaveLength(1)
    expect(await stores.sessions.countChildren(twice(session.key))).toEqual([0, 0])
    expect(await stores.runs.pages(twice({ sessionKey: session.key, limit: 5 }))).toEqual([[run], [run]])
    expect(await stores.queue.purge(twice(session.key), 5)).toBe(1)
  })

  test('C27: hundreds of pages may be asked for at once', async ({ stores, commit, create }) => {
    const session = await create()
    const child = await create({ parent: session })
    await commit({ rows: [insertRun(runOf(session, 0)), insertMessage(messageOf(session, 0))] })
    const keys = [...unknownKeys.slice(0, 999), session.key]
    const children = await stores.sessions.children(keys.map((parentKey) => ({ parentKey, limit: 2 })))
    const runs = await stores.runs.pages(keys.map((sessionKey) => ({ sessionKey, limit: 2 })))
    const messages = await stores.messages.pages(keys.map((sessionKey) => ({ sessionKey, take: 'last', limit: 2 })))
    expect([children, runs, messages].map((pages) => pages.length)).toEqual([1000, 1000, 1000])
    expect(children.flat()).toEqual([child])
    expect(children.at(-1)).toEqual([child])
    expect(runs.at(-1)).toEqual([runOf(session, 0)])
    expect(messages.at(-1)).toEqual([messageOf(session, 0)])
  })

  test('C27: a commit may change thousands of rows', async ({ stores, commit, create }) => {
    const session = await create()
    const message = messageOf(session, 1)
    const part = openPartOf(message, 0)
    const others = range(2999).map((i) => partOf(message, i + 1))
    const rows = range(3000)
    await commit({
      rows: [
        insertMessage(message),
        ...[part, ...others].map(insertPart),
        ...rows.map((i) => insertChunk(chunkOf(part, i, String(i % 10)))),
        ...rows.map((i) => insertLog(logOf(session, i))),
        ...rows.map((i) => insertEntry(entryOf(session, i))),
      ],
    })
    await commit({ rows: rows.map((i) => updateEntry(entryOf(session, i, { state: { kind: 'queued' }, rank: i }))) })
    expect(await stores.queue.outstanding(session.key)).toHaveLength(3000)
    expect(await stores.log.read(session.key, 2990, 100)).toHaveLength(10)
    const read = await stores.messages.parts([{ sessionKey: session.key, index: 1 }])
    expect(read.map(({ partIndex }) => partIndex)).toEqual(rows)
    expect(read[0]?.body).toEqual({ kind: 'text', text: '0123456789'.repeat(300) })
  })

  test('C27: a commit may ask, grant and revoke thousands of times', async ({ stores, commit, create }) => {
    const session = await create()
    const rows = range(3000)
    const grants = rows.map((i) => grantOf(session, `key ${i}`))
    await commit({
      rows: [
        ...rows.map((i) => insertPermission(permissionOf(session, i))),
        ...grants.map(insertGrant),
        ...rows.map((i) => insertExecution(executionOf(session, i))),
      ],
    })
    expect(await stores.permissions.inbox(session.scopeKey, undefined, 4000)).toHaveLength(3000)
    expect(await stores.permissions.grants([session.key])).toHaveLength(3000)
    await commit({
      rows: [
        ...rows.slice(1).map((i) => updatePermission(permissionOf(session, i, { state: resolvedState(NOW) }))),
        ...grants.slice(1).map(deleteGrant),
        ...rows.slice(1).map((i) => updateExecution(executionOf(session, i, { state: reconciledState(NOW) }))),
      ],
    })
    expect(await stores.permissions.pending([session.key])).toEqual([permissionOf(session, 0)])
    expect(await stores.permissions.grants([session.key])).toEqual([grants[0]])
    expect(await stores.executions.uncertain([session.key], 4000)).toEqual([executionOf(session, 0)])
  })

  test('C27: thousands of sessions may be purged at once', async ({ stores, commit, create }) => {
    const session = await create()
    const message = messageOf(session, 0)
    const rows = [insertEntry(entryOf(session, 0)), insertRun(runOf(session, 0)), insertMessage(message)]
    await commit({ rows: [...rows, insertPart(partOf(message, 0)), insertLog(logOf(session, 0))] })
    const asked = [insertPermission(permissionOf(session, 0)), insertGrant(grantOf(session, 'key'))]
    await commit({ rows: [...asked, insertExecution(executionOf(session, 0))] })
    const keys = [...unknownKeys, session.key]
    expect(await stores.queue.purge(keys, 10)).toBe(1)
    expect(await stores.runs.purge(keys, 10)).toBe(1)
    expect(await stores.messages.purge(keys, 10)).toBe(2)
    expect(await stores.log.purge(keys, 10)).toBe(1)
    expect(await stores.permissions.purge(keys, 10)).toBe(2)
    expect(await stores.executions.purge(keys, 10)).toBe(1)
    expect(await stores.events.purge(keys, 10)).toBe(0)
    expect(await stores.requests.purge(keys, 10)).toBe(0)
    expect(await stores.sessions.purge(keys, 10)).toBe(1)
  })
})

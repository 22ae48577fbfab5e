import type { SessionId, StorageKey } from '../../../src/kernel/ids.ts'
import { prefixesOf } from '../../../src/domain/session/session.ts'
import type { EventFilter } from '../../../src/ports/stores/events.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import * as rows from '../../contract/support/rows.ts'
import { deathOf } from './deaths.ts'
import { newWriteId, nextRow, NOW, openWorld } from '../../contract/support/world.ts'

type Call = readonly [name: string, call: () => Promise<unknown>]

/** Everything that the stores can be asked, at least once, on a small tree in a scope of its own. */
export async function everyCall(stores: Stores): Promise<readonly Call[]> {
  const world = await openWorld(stores)
  const { create, seed, change, commit } = world
  const { key: scopeKey } = world.scope
  const root = await create({ title: 'The title of the root' })
  const child = await create({ parent: root })
  const message = rows.messageOf(root, 1)
  const part = rows.openPartOf(message, 0)
  await commit({
    rows: [
      rows.insertEntry(rows.entryOf(root, 0)),
      rows.insertRun(rows.runOf(root, 0)),
      rows.insertMessage(message),
      rows.insertPart(part),
      rows.insertChunk(rows.chunkOf(part, 0, 'x')),
      rows.insertPermission(rows.permissionOf(root, 0)),
      rows.insertGrant(rows.grantOf(root, 'old')),
      rows.insertExecution(rows.executionOf(root, 0)),
    ],
  })
  const whole = change({
    sessions: [nextRow(root, { title: 'Another title' }), nextRow(child)],
    created: [await seed({ parent: root, title: 'A title' })],
    rollUps: [{ scopeKey, paths: prefixesOf(child.place.path), usage: rows.usageOf(1), descendants: 1 }],
    rows: [
      rows.updateEntry(rows.entryOf(root, 0)),
      rows.updateRun(rows.runOf(root, 0)),
      rows.updateMessage(message),
      rows.updatePart(part),
      rows.foldChunks(part),
      rows.insertChunk(rows.chunkOf(part, 1, 'y')),
      rows.insertLog(rows.logOf(root, 1)),
      rows.updatePermission(rows.permissionOf(root, 0)),
      rows.insertPermission(rows.permissionOf(root, 1)),
      rows.deleteGrant(rows.grantOf(root, 'old')),
      rows.insertGrant(rows.grantOf(root, 'new')),
      rows.updateExecution(rows.executionOf(root, 0)),
      rows.insertExecution(rows.executionOf(root, 1)),
      rows.insertRequest(rows.requestOf(root, 'r')),
    ],
    events: [rows.draftOf(root, 1), rows.draftOf(child, 1)],
  })
  const keys = [root.key, child.key]
  const after = { updatedAt: NOW, generationSequence: 2 }
  const { path } = root.place
  const waiting = { status: 'AWAITING_PERMISSION' } as const
  const asked = { createdAt: NOW, permissionId: rows.permissionIdOf(root, 0) }
  const below = { key: root.key, path, includeDescendants: true }
  const itself = { ...below, includeDescendants: false }
  const ofChild = { key: child.key, path: child.place.path, includeDescendants: true }
  const reading = (filter: EventFilter) => events.read({ scopeKey, filter, after: 0, limit: 5 })
  const words = { titleContains: 'her title' }
  const doomed = await create()
  const deaths = deathOf(doomed)
  const { scopes, sessions, structure, queue, runs, messages, log, permissions, executions, events, requests, unit } = stores
  return [
    ['unit.commit', () => unit.commit(newWriteId(), [whole])],
    ['unit.commit without events', () => commit({ rows: [rows.insertLog(rows.logOf(root, 2))] })],
    ['unit.commit of a reservation', () => commit(deaths.reserve)],
    ['unit.commit of a finish', () => commit(deaths.finish)],
    ['structure.slot', () => structure.slot(scopeKey, root.sessionId)],
    ['structure.slot of nobody', () => structure.slot(scopeKey, 'nobody' as SessionId)],
    ['structure.top', () => structure.top(root.key)],
    ['structure.members', () => structure.members({ scopeKey, path, limit: 5 })],
    ['structure.members after', () => structure.members({ scopeKey, path, after: path, limit: 5 })],
    ['structure.tombstones', () => structure.tombstones({ scopeKey, limit: 5 })],
    ['structure.tombstones below', () => structure.tombstones({ scopeKey, path, after: path, limit: 5 })],
    ['structure.tombstonesOf', () => structure.tombstonesOf(keys)],
    ['structure.group', () => structure.group({ group: root.key, limit: 5 })],
    ['structure.groups', () => structure.groups({ limit: 5 })],
    ['structure.groups of a scope', () => structure.groups({ scopeKey, limit: 5 })],
    ['structure.heldBy', () => structure.heldBy('p', 5)],
    ['structure.letGo', () => structure.letGo('p', keys)],
    ['unit.outcomeOf', () => unit.outcomeOf(newWriteId())],
    ['unit.forget', () => unit.forget(5, 5)],
    ['scopes.find', () => scopes.find(world.scope.storageKey)],
    ['scopes.ensure', () => scopes.ensure('a new scope' as StorageKey, NOW)],
    ['scopes.findNamed', () => scopes.findNamed([world.scope.storageKey])],
    ['scopes.findMany', () => scopes.findMany([scopeKey])],
    ['scopes.page', () => scopes.page(undefined, 5)],
    ['scopes.page of some', () => scopes.page(undefined, 5, { exact: ['one'], beginnings: ['two'] })],
    ['sessions.find', () => sessions.find(scopeKey, root.sessionId)],
    ['sessions.findMany', () => sessions.findMany(keys)],
    ['sessions.findBySequence', () => sessions.findBySequence(scopeKey, [1, 2])],
    ['sessions.page', () => sessions.page({ scopeKey, filter: {}, limit: 5 })],
    ['sessions.page after', () => sessions.page({ scopeKey, filter: { updatedSince: 5 }, after, limit: 5 })],
    ['sessions.page of roots', () => sessions.page({ scopeKey, filter: { rootsOnly: true }, after, limit: 5 })],
    ['sessions.page of busy ones', () => sessions.page({ scopeKey, filter: { status: 'BUSY' }, after, limit: 5 })],
    ['sessions.page by words', () => sessions.page({ scopeKey, filter: { titleContains: 'a', agent: 'b' }, limit: 5 })],
    ['sessions.page by words after', () => sessions.page({ scopeKey, filter: words, after, limit: 5 })],
    ['sessions.count by words', () => sessions.count(scopeKey, { ...words, rootsOnly: true }, 100)],
    ['sessions.count', () => sessions.count(scopeKey, { rootsOnly: true }, 100)],
    ['sessions.children', () => sessions.children(keys.map((parentKey) => ({ parentKey, after, limit: 5 })))],
    ['sessions.countChildren', () => sessions.countChildren(keys)],
    ['sessions.descendants', () => sessions.descendants({ scopeKey, path, maxDepth: 2, limit: 5 })],
    ['sessions.page of waiting ones', () => sessions.page({ scopeKey, filter: waiting, after, limit: 5 })],
    ['sessions.subtreeStatuses', () => sessions.subtreeStatuses(scopeKey, [path, child.place.path])],
    ['sessions.unsettled', () => sessions.unsettled(undefined, 5)],
    ['queue.outstanding', () => queue.outstanding(root.key)],
    ['queue.prompt', () => queue.prompt(root.key, 0)],
    ['queue.findMany', () => queue.findMany([rows.queueIdOf(root, 0)])],
    ['queue.views', () => queue.views(keys, 5)],
    ['runs.find', () => runs.find(root.key, 0)],
    ['runs.findMany', () => runs.findMany([rows.runIdOf(root, 0)])],
    ['runs.latest', () => runs.latest(keys)],
    ['runs.pages', () => runs.pages(keys.map((sessionKey) => ({ sessionKey, before: 5, limit: 5 })))],
    [
      'messages.pages',
      () =>
        messages.pages([
          { sessionKey: root.key, take: 'first', limit: 5 },
          { sessionKey: root.key, take: 'last', limit: 5, before: 9 },
          { sessionKey: root.key, take: 'last', limit: 5, runId: message.runId },
        ]),
    ],
    ['messages.findMany', () => messages.findMany([message.messageId])],
    ['messages.parts', () => messages.parts([message])],
    ['messages.findParts', () => messages.findParts([{ ...message, partIndex: 0 }])],
    ['log.read', () => log.read(root.key, 0, 5)],
    ['permissions.findMany', () => permissions.findMany([rows.permissionIdOf(root, 0)])],
    ['permissions.pending', () => permissions.pending(keys)],
    ['permissions.latest', () => permissions.latest(keys, 5)],
    ['permissions.ofRuns', () => permissions.ofRuns([rows.runIdOf(root, 0)])],
    ['permissions.inbox', () => permissions.inbox(scopeKey, undefined, 5)],
    ['permissions.inbox after', () => permissions.inbox(scopeKey, asked, 5)],
    ['permissions.grants', () => permissions.grants(keys)],
    ['executions.findMany', () => executions.findMany([rows.executionOf(root, 0).intentId])],
    ['executions.uncertain', () => executions.uncertain(keys, 5)],
    ['events.bounds', () => events.bounds(scopeKey)],
    ['events.read', () => reading({})],
    ['events.read of a type', () => reading({ types: ['run.started'] })],
    ['events.read of a session', () => reading({ session: itself })],
    ['events.read of a session and type', () => reading({ session: itself, types: ['run.started'] })],
    ['events.read of a tree', () => reading({ session: below })],
    ['events.read of a subtree', () => reading({ session: ofChild, types: ['run.started'] })],
    ['events.prune', () => events.prune(scopeKey, { before: 5, keep: 100, limit: 5 })],
    ['requests.find', () => requests.find(scopeKey, root.key, 'r')],
    ['requests.forget', () => requests.forget(5, 5)],
    ['queue.purge', () => queue.purge(keys, 5)],
    ['runs.purge', () => runs.purge(keys, 5)],
    ['messages.purge', () => messages.purge(keys, 5)],
    ['log.purge', () => log.purge(keys, 5)],
    ['permissions.purge', () => permissions.purge(keys, 5)],
    ['executions.purge', () => executions.purge(keys, 5)],
    ['events.purge', () => events.purge(keys, 5)],
    ['requests.purge', () => requests.purge(keys, 5)],
    ['sessions.purge', () => sessions.purge([child.key], 5)],
  ]
}

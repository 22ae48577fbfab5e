import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import {
  draftOf,
  entryOf,
  executionOf,
  grantOf,
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
  partOf,
  permissionOf,
  reconciledState,
  resolvedState,
  runOf,
  toolBodyOf,
} from '../support/rows.ts'

export const isolationSuite = contractSuite('isolation of values', (test) => {
  test('C12: what a store took in can no longer be changed from outside', async ({
    stores,
    commit,
    create,
    reload,
  }) => {
    const metadata = { list: [1] }
    const session = await create({ metadata })
    const output = { list: [1] }
    const asked = { list: [1] }
    const state = { ...resolvedState(5) }
    await commit({
      rows: [
        insertLog(logOf(session, 0, { body: { kind: 'step', output } })),
        insertPermission(permissionOf(session, 0, { metadata: asked, state })),
      ],
    })
    metadata.list.push(2)
    output.list.push(2)
    asked.list.push(2)
    Reflect.set(state, 'at', 6)
    expect((await reload(session)).metadata).toEqual({ list: [1] })
    expect(await stores.log.read(session.key, 0, 1)).toMatchObject([{ body: { output: { list: [1] } } }])
    const requests = await stores.permissions.latest([session.key], 1)
    expect(requests).toEqual([permissionOf(session, 0, { metadata: { list: [1] }, state: resolvedState(5) })])
  })

  test('C12: changing what a store handed out changes nothing in it', async ({
    stores,
    scope,
    commit,
    create,
    reload,
  }) => {
    const session = await create({ metadata: { list: [1] } })
    const message = messageOf(session, 1)
    await commit({
      rows: [
        insertEntry(entryOf(session, 0)),
        insertRun(runOf(session, 0)),
        insertMessage(message),
        insertPart(partOf(message, 0, { body: toolBodyOf('a', { output: [1] }) })),
        insertPermission(permissionOf(session, 0)),
        insertGrant(grantOf(session, 'key')),
        insertExecution(executionOf(session, 0)),
        insertExecution(executionOf(session, 1, { state: reconciledState(5) })),
      ],
      events: [draftOf(session, 1)],
    })
    const read = async () => ({
      session: await reload(session),
      entries: await stores.queue.outstanding(session.key),
      prompt: await stores.queue.prompt(session.key, 0),
      run: await stores.runs.find(session.key, 0),
      parts: await stores.messages.parts([message]),
      permissions: await stores.permissions.pending([session.key]),
      inbox: await stores.permissions.inbox(scope.key, undefined, 9),
      grants: await stores.permissions.grants([session.key]),
      uncertain: await stores.executions.uncertain([session.key], 9),
      reconciled: await stores.executions.findMany([executionOf(session, 1).intentId]),
      events: await stores.events.read({ scopeKey: scope.key, filter: {}, after: 0, limit: 9 }),
    })
    const before = JSON.stringify(await read())
    vandalise(await read())
    expect(JSON.stringify(await read())).toBe(before)
  })
})

/** Overwrites whatever can be overwritten, at every level. */
function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, field] of Object.entries(value)) {
    vandalise(field)
    Reflect.set(value, key, 'vandalised')
  }
}

import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import {
  draftOf,
  entryOf,
  insertEntry,
  insertLog,
  insertRun,
  logOf,
  runOf,
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
    await commit({ rows: [insertLog(logOf(session, 0, { body: { kind: 'step', output } }))] })
    metadata.list.push(2)
    output.list.push(2)
    expect((await reload(session)).metadata).toEqual({ list: [1] })
    expect(await stores.log.read(session.key, 0, 1)).toMatchObject([{ body: { output: { list: [1] } } }])
  })

  test('C12: changing what a store handed out changes nothing in it', async ({
    stores,
    scope,
    commit,
    create,
    reload,
  }) => {
    const session = await create({ metadata: { list: [1] } })
    await commit({
      rows: [insertEntry(entryOf(session, 0)), insertRun(runOf(session, 0))],
      events: [draftOf(session, 1)],
    })
    const read = async () => ({
      session: await reload(session),
      entries: await stores.queue.outstanding(session.key),
      prompt: await stores.queue.prompt(session.key, 0),
      run: await stores.runs.find(session.key, 0),
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

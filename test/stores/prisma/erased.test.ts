import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { asSessionId } from '../../../src/kernel/ids.ts'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import { databasePath } from '../../../src/stores/prisma/sqlite/database-path.ts'
import { bear } from '../../support/births.ts'
import { heldStores } from '../../support/held-stores.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../../support/world.ts'
import { connected } from './postgresql-observer.ts'
import { databaseKinds, type Scratch } from './scratch.ts'

/** Stands in everything that a session may contain. */
const MARK = 'xyzzy-4711'

/** A session whose title, prompts, answers, calls, requests, grants and errors all have the mark, with a child like it. */
async function fill(world: World): Promise<void> {
  world.tools.add(`write ${MARK}`)
  const session = { scopeId, sessionId: asSessionId('s'), title: `Title ${MARK}`, metadata: { [MARK]: MARK } }
  ok(await world.harness.createSession({ ...session, clientRequestId: `create ${MARK}` }, caller))
  await bear(world.stores, await world.load(), { sessionId: 'child', title: `Child ${MARK}`, agent: null })
  for (const id of ['s', 'child']) {
    const sessionId = asSessionId(id)
    const attachments = [{ mediaType: 'text/plain', filename: `${MARK}.txt`, url: `data:,${MARK}` }]
    const options = { system: `Be ${MARK}.` }
    await world.prompt(`Say ${MARK}`, { sessionId, attachments, options, clientRequestId: `prompt ${MARK} ${id}` })
    world.models.last.start('reasoning').delta(`Hm ${MARK}`, 'reasoning').end('reasoning')
    world.models.last.start().delta(`Said ${MARK}`).end().calls(`write ${MARK}`, { path: MARK }).finish('continue')
    await world.clock.settle()
    const [request] = await world.stores.permissions.pending([(await world.load(id)).key])
    // What the parent has granted for good the child does not ask.
    if (request) {
      const { permissionId } = request
      ok(await world.harness.respondToPermission({ scopeId, permissionId, decision: 'ALWAYS' }, caller))
    }
    await world.clock.settle()
    world.tools.last.answer({ done: MARK })
    await world.clock.settle()
    world.models.last.fail(new Error(`Broken ${MARK}`))
    await world.clock.settle()
    await world.prompt(`Waits ${MARK}`, { sessionId })
    world.models.last.start().delta(`Grows ${MARK}`)
    await world.clock.advance(2_000)
    await world.prompt(`Behind ${MARK}`, { sessionId })
  }
}

type Rows = readonly Readonly<Record<string, unknown>>[]

/** The columns in which the mark stands. */
const marked = (table: string, rows: Rows): readonly string[] =>
  rows.flatMap((row) => Object.entries(row).flatMap(([column, value]) => (String(value).includes(MARK) ? [`${table}.${column}`] : [])))

async function columnsWithMark({ url }: Scratch): Promise<ReadonlySet<string>> {
  if (!url.startsWith('file:')) {
    await using client = await connected(url)
    const tables = await client.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()`,
    )
    const found: string[] = []
    for (const { name } of tables.rows) found.push(...marked(name, (await client.query(`SELECT * FROM "${name}"`)).rows as Rows))
    return new Set(found)
  }
  using db = new DatabaseSync(databasePath(url))
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all().map(({ name }) => String(name))
  return new Set(tables.flatMap((name) => marked(name, db.prepare(`SELECT * FROM "${name}"`).all())))
}

async function filesWithMark(url: string): Promise<readonly string[]> {
  const folder = path.dirname(databasePath(url))
  const files = await readdir(folder)
  const contents = await Promise.all(files.map((file) => readFile(path.join(folder, file))))
  return files.filter((_, i) => contents[i]?.includes(MARK))
}

async function filled(stores: Stores): Promise<World> {
  const clock = virtualClock()
  const world = await World.started({ stores: heldStores({ ...stores, instances: null }, clock), clock })
  await fill(world)
  return world
}

describe.each(databaseKinds)('$name', ({ missing, scratch }) => {
  test.skipIf(missing)('D13: after a deletion no table has anything of what the sessions contained', async () => {
    await using database = await scratch()
    const stores = await database.stores()
    const world = await filled(stores)
    const before = await columnsWithMark(database)
    expect([...before]).toEqual(
      expect.arrayContaining([
        'Session.title',
        'Session.metadata',
        'QueueEntry.prompt',
        'Part.body',
        'PartChunk.text',
        'LogEntry.body',
        'Permission.ask',
        'Grant.rememberKey',
        'Event.body',
        'ClientRequest.clientRequestId',
      ]),
    )
    ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller))
    // A request to the scope is not the session's.
    expect([...(await columnsWithMark(database))]).toEqual(['ClientRequest.clientRequestId'])
    expect((await world.types()).filter((type) => type !== 'session.deleted')).toEqual([])
    await world.harness.close()
  })
})

test('D13: nor does a file of SQLite, once it is closed', async () => {
  const { scratch } = databaseKinds[0]!
  await using database = await scratch()
  const stores = await database.stores()
  const world = await filled(stores)
  expect(await filesWithMark(database.url)).not.toEqual([])
  ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller))
  await world.harness.close()
  await stores.requests.forget(Number.MAX_SAFE_INTEGER, 1_000)
  await stores.close()
  expect(await filesWithMark(database.url)).toEqual([])
})

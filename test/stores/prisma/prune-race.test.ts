import { describe, expect, test } from 'vitest'
import * as rows from '../../contract/support/rows.ts'
import { NOW, openWorld } from '../../contract/support/world.ts'
import { connected, untilSomebodyWaits } from './postgresql-observer.ts'
import { databaseKinds, postgresqlIsMissing, postgresqlScratch } from './scratch.ts'

describe.each(databaseKinds)('pruning on $name', ({ scratch, missing }) => {
  test.skipIf(missing)('C24: an event that is committed meanwhile and has to be kept is kept', async () => {
    await using database = await scratch()
    const [writer, pruner] = [await database.stores(), await database.stores()]
    const world = await openWorld(writer)
    const session = await world.create()
    const old = Array.from({ length: 20 }, (_, i) => ({ ...rows.draftOf(session, i), timestamp: NOW - 1 }))
    await world.commit({ events: old })
    let writing = true
    const write = async () => {
      for (let i = 0; i < 60; i += 1) await world.commit({ events: [rows.draftOf(session, i)] })
      writing = false
    }
    const prune = async () => {
      let pruned = 0
      const policy = { before: NOW, keep: Infinity, limit: 7 }
      while (writing) pruned += await pruner.events.prune(session.scopeKey, policy)
      return pruned + (await pruner.events.prune(session.scopeKey, policy))
    }
    const [, pruned] = await Promise.all([write(), prune()])
    expect(pruned).toBe(old.length)
    expect(await writer.events.bounds(session.scopeKey)).toEqual({ head: 80, floor: 20 })
    const { events } = await writer.events.read({ scopeKey: session.scopeKey, filter: {}, after: 0, limit: 100 })
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 60 }, (_, i) => 21 + i))
  })
})

test.skipIf(postgresqlIsMissing)('C24: pruning waits for an event that is being committed, and sees it', async () => {
  await using database = await postgresqlScratch()
  await using writer = await connected(database.url)
  await using observer = await connected(database.url)
  const world = await openWorld(await database.stores())
  const session = await world.create()
  await world.commit({ events: [{ ...rows.draftOf(session, 0), timestamp: NOW - 1 }] })
  await writer.query('BEGIN; UPDATE "Scope" SET "sequence" = 2')
  await writer.query(
    `INSERT INTO "Event" SELECT "scopeKey", 2, ${NOW}, "type", "sessionKey", "sessionId", "generationId",
       "generationSequence", "path", "rootSequence", "body" FROM "Event"`,
  )
  const pruned = world.stores.events.prune(session.scopeKey, { before: NOW, keep: 100, limit: 100 })
  await untilSomebodyWaits(observer)
  await writer.query('COMMIT')
  expect(await pruned).toBe(1)
  const { events } = await world.stores.events.read({ scopeKey: session.scopeKey, filter: {}, after: 0, limit: 9 })
  expect(events).toMatchObject([{ sequence: 2, timestamp: NOW }])
})

import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { postgresUrl, scratchDatabase } from '../support/postgres.ts'
import { type Call, callsOf, operationOf } from './calls.ts'
import { expectDecentResult } from './decent.ts'
import { directly } from './directly.ts'
import { expectHolds, patience } from './fuzzing.ts'
import { type Populated, populated } from './populated.ts'
import { stored } from './stored.ts'
import { uncaughtErrors } from './uncaught.ts'

const uncaught = uncaughtErrors()

interface Database {
  readonly stores: Stores
  dispose(): Promise<void>
}

async function sqlite(): Promise<Database> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-fuzz-'))
  const stores = await prismaStores({ url: `file:${path.join(folder, 'fuzz.db')}` })
  return { stores, dispose: () => stores.close().then(() => rm(folder, { recursive: true, force: true })) }
}

async function postgres(): Promise<Database> {
  const database = await scratchDatabase()
  const stores = await prismaStores({ url: database.url })
  return { stores, dispose: () => stores.close().then(() => database.drop()) }
}

/** What a database cannot store or compare must not get as far as the database. */
function describeDatabase(open: () => Promise<Database>): void {
  let database: Database
  let stage: Populated

  beforeAll(async () => {
    database = await open()
    stage = await populated(database.stores)
  })

  afterAll(async () => {
    await stage[Symbol.asyncDispose]()
    await database.dispose()
  })

  const expectHarmless = async (call: Call): Promise<unknown> => {
    const result = await directly(stage, operationOf(call, stage.pool))
    expect(uncaught).toEqual([])
    expect(stage.faults).toEqual([])
    expectDecentResult(result)
    return result
  }

  test(
    'A60: whatever queries and subscriptions are given, they answer',
    async () => {
      const calls = callsOf(({ operation }) => operation !== 'mutation')
      const property = fc.asyncProperty(calls, async (call) => {
        await expectHarmless(call)
      })
      await expectHolds(property, 300)
    },
    patience,
  )

  test(
    'A60, A61: whatever sessions are created with, they exist, or nothing has changed',
    async () => {
      const calls = callsOf(({ name }) => name === 'Mutation.createSession')
      await expectHolds(
        fc.asyncProperty(calls, async (call) => {
          const before = await stored(stage.world.stores)
          const result = await expectHarmless(call)
          const isCreated = JSON.stringify(result).includes('CreateSessionPayload')
          expect(isCreated ? before : await stored(stage.world.stores)).toEqual(before)
        }),
        60,
      )
    },
    patience,
  )
}

describe('SQLite', () => {
  describeDatabase(sqlite)
})

const server = await postgresUrl()

describe.skipIf(server === undefined)('PostgreSQL', () => {
  describeDatabase(postgres)
})

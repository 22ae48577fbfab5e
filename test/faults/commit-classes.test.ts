import { describe, expect, test } from 'vitest'
import { asWriteId, type ScopeKey } from '../../src/kernel/ids.ts'
import { type FailureClass, failureClassOf, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import * as rows from '../contract/support/rows.ts'
import { newWriteId, nextRow, openWorld, type World } from '../contract/support/world.ts'
import { databaseKinds } from '../stores/prisma/scratch.ts'
import { storeFailureOf } from '../stores/prisma/store-failure-of.ts'

interface Opened extends AsyncDisposable {
  stores(): Promise<Stores>
}

const memory = async (): Promise<Opened> => ({
  stores: async () => memoryStores({ clock: systemClock }),
  [Symbol.asyncDispose]: async () => undefined,
})
const kinds = [{ name: 'memory', missing: false, scratch: memory }, ...databaseKinds]

type Case = readonly [what: string, failure: FailureClass, commit: (world: World) => Promise<Partial<Commit>>]

const cases: readonly Case[] = [
  [
    'an id that lives',
    'conflict',
    async ({ create, seed }) => ({ created: [await seed({ sessionId: (await create()).sessionId })] }),
  ],
  [
    'a row that exists',
    'conflict',
    async ({ create, commit }) => {
      const entry = rows.insertLog(rows.logOf(await create(), 0))
      await commit({ rows: [entry] })
      return { rows: [entry] }
    },
  ],
  [
    'a row that does not exist',
    'conflict',
    async ({ create }) => ({ rows: [rows.updateRun(rows.runOf(await create(), 7))] }),
  ],
  [
    'another revision',
    'conflict',
    async ({ create }) => ({ sessions: [nextRow({ ...(await create()), revision: 5 })] }),
  ],
  ['another epoch', 'fenced', async ({ create }) => ({ sessions: [nextRow({ ...(await create()), epoch: 5 })] })],
  ['a scope that does not exist', 'notCommitted', async () => ({ scopeKey: 999_999 as ScopeKey })],
]

describe.each(kinds)('commits on $name', ({ missing, scratch }) => {
  describe.skipIf(missing)('fail', () => {
    test.each(cases)('C72: that meet %s as %s, and nothing has changed', async (_what, failure, wishesFor) => {
      await using opened = await scratch()
      const stores = await opened.stores()
      const world = await openWorld(stores)
      const [bystander, wishes] = [await world.create(), await wishesFor(world)]
      const [{ head }, writeId] = [await stores.events.bounds(world.scope.key), newWriteId()]
      const group = [
        world.change({ sessions: [nextRow(bystander)], events: [rows.draftOf(bystander, 1)] }),
        world.change(wishes),
      ]
      expect(await storeFailureOf(stores.unit.commit(writeId, group))).toBe(failure)
      expect(await world.reload(bystander)).toEqual(bystander)
      expect((await stores.events.bounds(world.scope.key)).head).toBe(head)
      expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
      expect(await stores.isReady()).toBe(true)
    })

    test('C72: that were decided already as not committed', async () => {
      await using opened = await scratch()
      const stores = await opened.stores()
      const { create, change } = await openWorld(stores)
      const writeId = asWriteId('decided')
      await stores.unit.outcomeOf(writeId)
      const commit = change({ sessions: [nextRow(await create())] })
      expect(await storeFailureOf(stores.unit.commit(writeId, [commit]))).toBe('notCommitted')
    })
  })
})

test('C72: whatever a store throws that is no StoreFailure is uncertain', () => {
  const thrown = [new Error('Connection terminated unexpectedly'), new TypeError('x'), 'text', undefined, {}]
  expect(thrown.map(failureClassOf)).toEqual(thrown.map(() => 'uncertain'))
  expect(failureClassOf(new StoreFailure('conflict', 'known'))).toBe('conflict')
})

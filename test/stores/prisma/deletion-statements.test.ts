import { describe, expect, test } from 'vitest'
import { asSessionId } from '../../../src/kernel/ids.ts'
import { bear } from '../../support/births.ts'
import { heldStores } from '../../support/held-stores.ts'
import { virtualClock } from '../../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../../support/world.ts'
import { databaseKinds, type Scratch } from './scratch.ts'

/** The statements that delete a session with so many children. */
async function statementsFor(database: Scratch, children: number): Promise<readonly string[]> {
  const statements: string[] = []
  let isDeleting = false
  const stores = await database.stores((sql) => {
    if (isDeleting) statements.push(sql.replaceAll(/\s+/g, ' ').slice(0, 60))
  })
  const clock = virtualClock()
  const world = await World.started({ stores: heldStores({ ...stores, instances: null }, clock), clock })
  const id = `with ${children}`
  await world.session(id)
  const parent = await world.load(id)
  for (let i = 0; i < children; i++) await bear(world.stores, parent, { sessionId: `${id} ${i}` })
  isDeleting = true
  const deleted = ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller))
  isDeleting = false
  expect(deleted).toHaveLength(children + 1)
  await world.harness.close()
  return statements
}

describe.each(databaseKinds)('$name', ({ missing, scratch }) => {
  test.skipIf(missing)('D14: a deletion takes as many statements for forty sessions as for two', async () => {
    await using database = await scratch()
    const few = await statementsFor(database, 1)
    expect(await statementsFor(database, 39)).toEqual(few)
    expect(few.length).toBeLessThan(60)
  })
})

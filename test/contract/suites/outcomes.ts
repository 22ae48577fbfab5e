import { expect } from 'vitest'
import { contractSuite } from '../support/contract-suite.ts'
import { draftOf, insertLog, logOf, usageOf } from '../support/rows.ts'
import { snapshotOf } from '../support/snapshot.ts'
import { failureOf, newWriteId, nextRow, type World } from '../support/world.ts'

async function changeOf({ change, create }: World, index = 0) {
  const session = await create()
  const commit = change({
    sessions: [nextRow(session)],
    rows: [insertLog(logOf(session, index))],
    rollUps: [{ scopeKey: session.scopeKey, paths: [session.place.path], usage: usageOf(1), descendants: 1 }],
    events: [draftOf(session, 1)],
  })
  return { session, commit }
}

export const outcomesSuite = contractSuite('outcomes of commits', (test) => {
  test('C8: a write that was committed is known as such, as often as one asks', async (world) => {
    const { stores } = world
    const writeId = newWriteId()
    const [one, two] = [await changeOf(world), await changeOf(world)]
    await stores.unit.commit(writeId, [one.commit, two.commit])
    expect(await stores.unit.outcomeOf(writeId)).toBe('committed')
    expect(await stores.unit.outcomeOf(writeId)).toBe('committed')
  })

  test('C8: a write that was declared absent can never be committed any more', async (world) => {
    const { stores } = world
    const writeId = newWriteId()
    const { session, commit } = await changeOf(world)
    const before = await snapshotOf(stores, [session])
    expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(['conflict', 'notCommitted']).toContain(await failureOf(stores.unit.commit(writeId, [commit])))
      expect(await snapshotOf(stores, [session])).toEqual(before)
      expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
    }
    await stores.unit.commit(newWriteId(), [commit])
    expect((await world.reload(session)).revision).toBe(1)
  })

  test('C8: a write is committed once: repeating it fails and changes nothing', async (world) => {
    const { stores } = world
    const writeId = newWriteId()
    const [first, second] = [await changeOf(world), await changeOf(world)]
    await stores.unit.commit(writeId, [first.commit])
    const before = await snapshotOf(stores, [first.session, second.session])
    expect(['conflict', 'notCommitted']).toContain(await failureOf(stores.unit.commit(writeId, [second.commit])))
    expect(await snapshotOf(stores, [first.session, second.session])).toEqual(before)
    expect(await stores.unit.outcomeOf(writeId)).toBe('committed')
  })

  test('C8: a write whose commit conflicted is absent', async (world) => {
    const { stores, change, create } = world
    const writeId = newWriteId()
    const session = await create()
    const stale = change({ sessions: [nextRow({ ...session, revision: 3 })] })
    expect(await failureOf(stores.unit.commit(writeId, [stale]))).toBe('conflict')
    expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
  })

  test('C8: whoever asks while a write is under way gets the answer that stays true', async (world) => {
    const { stores } = world
    for (let round = 0; round < 10; round += 1) {
      const writeId = newWriteId()
      const { session, commit } = await changeOf(world)
      const asking = () => stores.unit.outcomeOf(writeId)
      const committing = () => failureOf(stores.unit.commit(writeId, [commit]))
      const answers =
        round % 2 === 0
          ? await Promise.all([asking(), committing()])
          : await Promise.all([committing(), asking()]).then(([failure, outcome]) => [outcome, failure] as const)
      const [outcome, failure] = answers
      expect(failure === undefined).toBe(outcome === 'committed')
      expect((await world.reload(session)).revision).toBe(outcome === 'committed' ? 1 : 0)
      expect(await stores.unit.outcomeOf(writeId)).toBe(outcome)
    }
  })

  test('C8: what is known of writes is forgotten in limited steps, when it is old enough', async (world) => {
    const { stores } = world
    const writeIds = [newWriteId(), newWriteId(), newWriteId()]
    for (const writeId of writeIds) await stores.unit.commit(writeId, [(await changeOf(world)).commit])
    expect(await stores.unit.forget(1, 100)).toBe(0)
    for (const writeId of writeIds) expect(await stores.unit.outcomeOf(writeId)).toBe('committed')
    expect(await stores.unit.forget(Number.MAX_SAFE_INTEGER, 2)).toBe(2)
    let forgotten = 2
    for (let step = 1; step > 0; forgotten += step) {
      step = await stores.unit.forget(Number.MAX_SAFE_INTEGER, 50)
      expect(step).toBeLessThanOrEqual(50)
    }
    expect(forgotten).toBeGreaterThanOrEqual(3)
    for (const writeId of writeIds) expect(await stores.unit.outcomeOf(writeId)).toBe('absent')
  })
})

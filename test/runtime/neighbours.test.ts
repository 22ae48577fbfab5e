import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { faultyStores } from '../support/faulty-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { ok, World } from '../support/world.ts'

test('R91: a process that could not end its run leaves it alone once another one has taken it over', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  let isDown = false
  const faulty = faultyStores(stores, () => (isDown ? { failure: 'notCommitted', side: 'before' } : undefined))
  const first = await World.started({ clock, stores: faulty, recovery: 'RESUME' })
  await first.session()
  const entry = await first.prompt('go')
  isDown = true
  first.models.last.finish()
  await clock.settle()
  const closed = first.harness.close({ graceMs: 0 }).then(() => 'closed', () => 'something is left')
  await clock.advance(60_000)
  expect(await closed).toBe('something is left')
  const second = await World.started({ clock, stores, recovery: 'RESUME' })
  await clock.settle()
  expect((await second.runs())[0]).toMatchObject({ attempts: 2 })
  isDown = false
  await first.harness.close()
  second.models.last.answer('The end.')
  await clock.settle()
  expect((await second.runs())[0]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
  await expectSettled(second, [entry])
})

test('R94: a process executes the run of another one only when its resumption is durable', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock, isShared: true })
  // It dies between the admission of the run and its beginning.
  const dying = mortalStores(stores, { at: 3, side: 'before' })
  const first = await World.started({ clock, stores: dying.stores, recovery: 'RESUME' })
  await first.session()
  const entries = [await first.prompt('go')]
  await clock.advance(20_000)

  let isContended = true
  let isSlow = false
  const contended = faultyStores(stores, ([commit]) => {
    const isResumption = commit?.rows.some(({ table, op }) => table === 'run' && op === 'update') === true
    if (!isContended || !isResumption) return undefined
    isContended = false
    isSlow = true
    return { failure: 'conflict', side: 'before' }
  })
  const findMany: typeof stores.sessions.findMany = async (keys) => {
    const isLate = isSlow
    isSlow = false
    if (isLate) await clock.sleep(100)
    return stores.sessions.findMany(keys)
  }
  const second = new World({ clock, stores: { ...contended, sessions: { ...stores.sessions, findMany } }, recovery: 'RESUME' })
  const started = second.harness.start()
  await clock.settle()
  const asked = second.enqueue('and then?')
  await clock.advance(50)
  expect(second.models.calls).toHaveLength(0)
  await clock.advance(5_000)
  await started
  entries.push(ok(await asked))
  expect((await second.runs())[0]).toMatchObject({ attempts: 2, epoch: 2 })
  expect(second.models.calls).toHaveLength(1)
  second.models.last.answer('The end.')
  await clock.settle()
  second.models.last.answer('That is all.')
  await clock.settle()
  await expectSettled(second, entries)
})

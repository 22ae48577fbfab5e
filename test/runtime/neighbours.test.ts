import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { faultyStores } from '../support/faulty-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

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

import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

test('R80: a process that starts does not interrupt a run that it was asked for meanwhile', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const gate = Promise.withResolvers<void>()
  const unsettled: typeof stores.sessions.unsettled = async (...page) => {
    await gate.promise
    return stores.sessions.unsettled(...page)
  }
  const world = new World({ stores: { ...stores, sessions: { ...stores.sessions, unsettled } }, clock })
  const started = world.harness.start()
  await world.session()
  const entry = await world.prompt('while it starts')
  gate.resolve()
  await started
  world.models.last.answer('done')
  await clock.settle()
  await expectSettled(world, [entry])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

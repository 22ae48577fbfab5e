import { expect, test } from 'vitest'
import type { RowWrite } from '../../src/domain/session/writes.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { committing } from '../contract/support/saboteur.ts'
import { expectSettled } from '../support/laws.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

/** A process that is told to stop while the first commit with a row like that is under way, and the next process. */
async function stoppedAt(isMeant: (row: RowWrite) => boolean) {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const reached = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const slow = committing((commit) => async (writeId, group) => {
    const committed = await commit(writeId, group)
    if (!group.some(({ rows }) => rows.some(isMeant))) return committed
    reached.resolve()
    await goOn.promise
    return committed
  })
  const first = await World.started({ clock, stores: slow(stores), recovery: 'RESUME' })
  first.tools.add('burn')
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('burn', {}).finish('continue')
  await clock.settle()
  const answered = first.respond('ONCE')
  await reached.promise
  const closed = first.harness.close({ graceMs: 0 })
  await clock.advance(1)
  goOn.resolve()
  await Promise.all([closed, answered, clock.advance(5_000)])
  const second = new World({ clock, stores, recovery: 'RESUME' })
  second.tools.add('burn')
  await second.harness.start()
  await clock.settle()
  return { first, second, entry }
}

test('R93: a call of which the intent was under way when the server was told to stop does not happen, and is not uncertain', async () => {
  const { first, second, entry } = await stoppedAt(({ table, row }) => table === 'log' && row.body.kind === 'intent')
  expect(first.tools.executions).toHaveLength(0)
  expect(second.tools.executions).toHaveLength(0)
  expect(await second.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'ABORTED' } }])
  second.models.last.answer('Well.')
  await second.clock.settle()
  await expectSettled(second, [entry])
})

test('R93: a call that was allowed when the server was told to stop is left to the next one', async () => {
  const { first, second, entry } = await stoppedAt(({ table, op }) => table === 'permission' && op === 'update')
  expect(first.tools.executions).toHaveLength(0)
  second.tools.last.answer('burnt')
  await second.clock.settle()
  second.models.last.answer('Done.')
  await second.clock.settle()
  expect(await second.calls()).toMatchObject([{ status: 'COMPLETED' }])
  await expectSettled(second, [entry])
})

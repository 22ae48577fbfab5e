import { expect, test } from 'vitest'
import type { PolicyRule } from '../../src/domain/permission/policy.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

/** A process in which the idempotent call `put` has begun, and the stores that it leaves when it dies. */
async function begun(policies: readonly PolicyRule[], ...granted: readonly 'granted'[]) {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const { stores: own, kill } = mortalStores(stores)
  const first = new World({ clock, stores: own, recovery: 'RESUME', policies })
  first.tools.add('put', { idempotent: true })
  await first.harness.start()
  await first.session()
  const entry = await first.prompt('go')
  first.models.last.calls('put', {}, 'a').finish('continue')
  await clock.settle()
  if (granted.length > 0) {
    await first.respond('ALWAYS')
    first.tools.last.answer('done')
    await clock.settle()
    first.models.last.calls('put', {}, 'b').finish('continue')
    await clock.settle()
  }
  expect((await first.calls()).at(-1)?.status).toBe('RUNNING')
  kill()
  return { clock, stores, entry }
}

test('R92: a call that had begun, of a tool that is not there any more, may have happened', async () => {
  const { clock, stores, entry } = await begun([{ tool: 'put', effect: 'allow' }])
  const second = new World({ clock, stores, recovery: 'RESUME' })
  await second.harness.start()
  await clock.settle()
  expect(await second.calls()).toMatchObject([{ status: 'UNCERTAIN', error: { code: 'OUTCOME_UNKNOWN' } }])
  expect(await stores.executions.uncertain([(await second.load()).key], 10)).toHaveLength(1)
  second.models.last.answer('I do not know.')
  await clock.settle()
  await expectSettled(second, [entry])
})

test('R92: a call that had begun, and that a person denies after a restart, may have happened', async () => {
  const { clock, stores, entry } = await begun([], 'granted')
  const second = new World({ clock, stores, recovery: 'RESUME' })
  second.tools.add('put', { idempotent: true })
  const { sessionId } = await second.load()
  const starting = second.harness.start()
  ok(await second.harness.revokeGrant({ scopeId, sessionId, rememberKey: 'put' }, caller))
  await starting
  await clock.settle()
  await second.respond('REJECT', 'Not again.')
  expect((await second.calls()).at(-1)).toMatchObject({ status: 'UNCERTAIN', error: { code: 'OUTCOME_UNKNOWN' } })
  second.models.last.answer('I do not know.')
  await clock.settle()
  await expectSettled(second, [entry])
})

import { expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { childrenOf, delegate, delegating, endsOf, expectTreeSettled, say } from '../support/delegating.ts'
import { textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId } from '../support/world.ts'

test('G79: a task that is more than a session may hold is refused to the model', async () => {
  const world = await delegating({ limits: { maxOutstandingPromptBytesPerSession: 400 } })
  await world.prompt(textOf({ hang: 'first' }))
  world.models.last.calls('delegate', { description: 'x', prompt: 'x'.repeat(401), subagentType: 'writer' }).finish('continue')
  await world.clock.settle()
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'QUEUE_FULL' }, child: null }])
  expect(await childrenOf(world)).toEqual([])
  world.models.last.answer('without')
  await world.clock.settle()
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  await expectTreeSettled(world)
})

test('G79: a child that is deleted while its call looks at it cannot be used any more', async () => {
  const { stores, afterNextFind } = watchedStores(memoryStores({ clock: virtualClock() }))
  const world = await delegating({ stores })
  await world.prompt(textOf(delegate({ to: 'writer', script: say('first') })))
  const [child] = await childrenOf(world)
  if (!child) throw new Error('There is a child.')
  const { sessionId } = child
  afterNextFind(sessionId, async () => void ok(await world.harness.deleteSession({ scopeId, sessionId }, caller)))
  await world.prompt(textOf(delegate({ to: 'writer', script: say('second'), taskId: sessionId })))
  expect((await world.calls()).at(-1)).toMatchObject({ status: 'FAILED', error: { code: 'VALIDATION_FAILED' }, child: null })
  expect(await endsOf(world)).toEqual(['COMPLETED', 'COMPLETED'])
  await expectTreeSettled(world)
})

/** Stores in which something happens right after a session was found. */
function watchedStores(stores: Stores) {
  let watch: { readonly sessionId: string; readonly happen: () => Promise<void> } | undefined
  const findMany: Stores['sessions']['findMany'] = async (keys) => {
    const found = await stores.sessions.findMany(keys)
    if (!watch || !found.some(({ sessionId }) => sessionId === watch?.sessionId)) return found
    const { happen } = watch
    watch = undefined
    await happen()
    return found
  }
  const sessions = new Proxy(stores.sessions, {
    get: (target, name): unknown => (name === 'findMany' ? findMany : Reflect.get(target, name)),
  })
  return {
    stores: { ...stores, sessions },
    afterNextFind: (sessionId: string, happen: () => Promise<void>) => {
      watch = { sessionId, happen }
    },
  }
}

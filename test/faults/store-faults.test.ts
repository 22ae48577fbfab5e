import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type Fault, faultyStores } from '../support/faulty-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, scopeId, World } from '../support/world.ts'

const faults: readonly Fault[] = [
  { failure: 'notCommitted', side: 'before' },
  { failure: 'conflict', side: 'before' },
  { failure: 'uncertain', side: 'before' },
  { failure: 'uncertain', side: 'after' },
  { failure: 'unclassified', side: 'before' },
  { failure: 'unclassified', side: 'after' },
]

test('R46: whatever the store does to commits, what was acknowledged happens exactly once and no session stays busy', async () => {
  const plan = fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.constantFrom(...faults)), {
    maxLength: 40,
  })
  await fc.assert(
    fc.asyncProperty(plan, async (script) => {
      const clock = virtualClock()
      const left = [...script]
      const world = new World({ stores: faultyStores(memoryStores({ clock }), () => left.shift()), clock })
      world.models.onCall = (call) => call.start().delta('some').delta(' text').end().finish()
      await world.harness.start()
      const acknowledged: EntrySnapshot[] = []
      const settled = async <T>(work: Promise<T>): Promise<T | undefined> => {
        const result = work.catch(() => undefined)
        await clock.advance(20_000)
        return result
      }
      await settled(world.session())
      for (const text of ['one', 'two', 'three']) {
        const input = { scopeId, sessionId: 's' as never, text, clientRequestId: text }
        const answer = await settled(world.harness.enqueuePrompt(input, caller))
        if (answer?.ok) acknowledged.push(answer.value)
      }
      await clock.advance(120_000)
      left.length = 0
      await clock.advance(120_000)
      // Where the session could not be created nothing can have been acknowledged.
      if (!(await world.types()).includes('session.created')) return acknowledged.length === 0
      await expectSettled(world, acknowledged)
      for (const { queueId } of acknowledged) {
        const entry = (await world.entries()).find((candidate) => candidate.queueId === queueId)
        expect(entry?.state).toMatchObject({ kind: 'finished' })
      }
      return true
    }),
    { numRuns: 150 },
  )
})

test('R46: a run whose end cannot be stored is ended as soon as it can, exactly once', async () => {
  const clock = virtualClock()
  let isDown = false
  const down: Fault = { failure: 'notCommitted', side: 'before' }
  const world = new World({ stores: faultyStores(memoryStores({ clock }), () => (isDown ? down : undefined)), clock })
  await world.harness.start()
  await world.session()
  await world.prompt('go')
  isDown = true
  world.models.last.answer('done')
  await clock.advance(60_000)
  expect((await world.load()).work.kind).toBe('running')
  isDown = false
  await clock.advance(60_000)
  expect((await world.load()).work.kind).toBe('idle')
  expect((await world.types()).filter((type) => type === 'run.finished')).toHaveLength(1)
})

test('C33: for as long as a store cannot be trusted its scopes take no work, and a restart settles them', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  let isBroken = false
  const world = new World({
    stores: faultyStores(stores, () => (isBroken ? { failure: 'fatal', side: 'before' } : undefined)),
    clock,
  })
  await world.harness.start()
  await world.session()
  const entry = await world.prompt('go')
  isBroken = true
  world.models.last.answer('done')
  await clock.advance(10_000)
  expect(world.harness.isHealthy).toBe(false)
  const answer = await world.enqueue('more')
  expect(answer.ok ? '' : answer.refusal.code).toBe('SCOPE_FENCED')
  const next = new World({ stores, clock })
  await next.harness.start()
  await expectSettled(next, [entry])
})

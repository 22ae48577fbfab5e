import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import type { Fault } from '../support/faulty-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { LosingWorld } from '../support/losing-world.ts'
import { caller, scopeId, type World } from '../support/world.ts'

const faults: readonly Fault[] = [
  { failure: 'uncertain', side: 'before' },
  { failure: 'uncertain', side: 'after' },
  { failure: 'notCommitted', side: 'before' },
  { failure: 'conflict', side: 'before' },
]

const actions = ['prompt', 'prompt', 'interrupt', 'abort', 'fence', 'retire', 'mute', 'speak', 'close'] as const
type Action = (typeof actions)[number]

/** Does something, whatever comes of it. */
async function act(losing: LosingWorld, action: Action, acknowledged: EntrySnapshot[]): Promise<void> {
  const { world } = losing
  const sessionId = asSessionId('s')
  const enqueue = async (whenBusy: 'ENQUEUE' | 'INTERRUPT') => {
    const answer = await world.enqueue('hello', { whenBusy })
    if (answer.ok) acknowledged.push(answer.value)
  }
  switch (action) {
    case 'prompt':
      return enqueue('ENQUEUE')
    case 'interrupt':
      return enqueue('INTERRUPT')
    case 'abort':
      return void (await world.harness.abortRun({ scopeId, sessionId }, caller))
    case 'fence':
      return void (await world.harness.fenceScope({ scopeId, reason: 'To be sure.' }, caller))
    case 'retire':
      return void (await world.harness.retireScope({ scopeId }, caller))
    case 'mute':
      losing.isMute = true
      return
    case 'speak':
      losing.isMute = false
      return
    case 'close':
      return world.harness.close({ graceMs: 100 })
  }
}

/** Closes again, which must end and leave nothing, and begins anew. */
async function closedAndFollowed(losing: LosingWorld): Promise<World> {
  const { clock, harness } = losing.world
  const again = harness.close({ graceMs: 1_000 })
  await clock.advance(60_000)
  await again
  expect(clock.pending, 'nothing is left of a harness that is closed').toBe(0)
  return losing.successor()
}

const count = async (world: World, type: string) => (await world.types()).filter((one) => one === type).length

test('S51, S52, S56, S57: whatever is lost, fenced, retired and closed, everything ends once and nobody waits for ever', async () => {
  const script = fc.array(
    fc.record({
      action: fc.constantFrom(...actions),
      faults: fc.array(fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, fc.constantFrom(...faults)), {
        maxLength: 4,
      }),
      ms: fc.constantFrom(0, 0, 50, 2_000, 5_000),
    }),
    { maxLength: 14 },
  )
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      const losing = await LosingWorld.started()
      const { world } = losing
      world.models.onCall = (call) => call.start().delta('some').delta(' text').end().finish()
      await world.session()
      const acknowledged: EntrySnapshot[] = []
      const pending = new Set<Promise<void>>()
      for (const step of steps) {
        const left = [...step.faults]
        losing.onCommit = () => left.shift()
        const acting: Promise<void> = act(losing, step.action, acknowledged)
          .catch(() => undefined)
          .finally(() => pending.delete(acting))
        pending.add(acting)
        await world.clock.advance(step.ms)
      }
      losing.onCommit = undefined
      losing.isMute = false
      await world.clock.advance(300_000)
      expect(pending.size, 'nobody waits any more').toBe(0)
      const wasClosed = steps.some(({ action }) => action === 'close')
      const now = wasClosed ? await closedAndFollowed(losing) : world
      await now.clock.advance(60_000)
      await now.harness.retireScope({ scopeId }, caller)
      await expectSettled(now, acknowledged)
      expect(now.harness.isHealthy).toBe(true)
      expect(await count(now, 'scope.fenced')).toBe(await count(now, 'scope.restored'))
      const entry = await now.prompt('at last')
      await now.clock.settle()
      await expectSettled(now, [...acknowledged, entry])
    }),
    { numRuns: 200 },
  )
})

import { expect, test } from 'vitest'
import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { type Death, type MortalStores, mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { ok, World } from '../support/world.ts'

interface Life {
  readonly acknowledged: readonly EntrySnapshot[]
  readonly commits: number
}

/** A process that is asked for everything that changes a session, until it has done it all or dies. */
async function live(mortal: MortalStores): Promise<Life> {
  const acknowledged: EntrySnapshot[] = []
  const world = new World({ stores: mortal.stores })
  const script = async () => {
    await world.harness.start()
    await world.session()
    const prompt = async (...args: Parameters<World['prompt']>) => {
      const entry = await world.prompt(...args)
      acknowledged.push(entry)
      return entry
    }
    await prompt('one', { clientRequestId: 'first' })
    world.models.last.start('reasoning').delta('hm', 'reasoning').end('reasoning').start().delta('half ')
    await world.clock.advance(600)
    await prompt('two')
    const third = await prompt('three')
    world.models.last.delta('whole').end().finish('continue')
    await world.clock.settle()
    world.models.last.answer('step two')
    await world.clock.settle()
    world.models.last.start().delta('to be aborted')
    await world.clock.advance(20)
    await world.abort()
    ok(await world.cancel(third.queueId))
    await world.clock.settle()
    await prompt('four')
    world.models.last.start().delta('cut').fail(new Error('broken'))
    await world.clock.settle()
  }
  await Promise.race([script(), mortal.died])
  return { acknowledged, commits: mortal.commits() }
}

const clock = virtualClock()

test('R48: whatever commit a process dies at, the next one settles what it left and goes on with the queue', async () => {
  const whole = await live(mortalStores(memoryStores({ clock })))
  expect(whole.acknowledged).toHaveLength(4)
  for (let at = 1; at <= whole.commits; at++) {
    for (const side of ['before', 'after'] as const) {
      const death: Death = { at, side }
      const stores = memoryStores({ clock })
      const { acknowledged } = await live(mortalStores(stores, death))
      const next = new World({ stores })
      next.models.onCall = (call) => call.answer('ok')
      await next.harness.start()
      await next.clock.advance(5_000)
      const sessions = await stores.sessions.page({ scopeKey: 1 as never, filter: {}, limit: 10 })
      if (sessions.length === 0) await next.session()
      await expectSettled(next, acknowledged)
      await next.prompt('after the crash')
      await next.clock.settle()
      await expectSettled(next, acknowledged)
      const last = (await next.runs()).at(-1)?.state
      expect({ death, last }).toMatchObject({ death, last: { outcome: { status: 'COMPLETED' } } })
    }
  }
  expect(whole.commits).toBeGreaterThan(20)
})

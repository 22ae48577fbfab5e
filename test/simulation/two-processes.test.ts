import { expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type Fault, faultyStores } from '../support/faulty-stores.ts'
import { expectSettled } from '../support/laws.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { ok, World } from '../support/world.ts'

test('C35: whoever meets a conflict loads and decides again, and nobody is told of it', async () => {
  const clock = virtualClock()
  const faults: Fault[] = []
  const world = new World({ stores: faultyStores(memoryStores({ clock }), () => faults.shift()), clock })
  await world.harness.start()
  await world.session()
  faults.push({ failure: 'conflict', side: 'before' }, { failure: 'fenced', side: 'before' })
  const entry = ok(await world.enqueue('one'))
  await clock.settle()
  faults.push({ failure: 'conflict', side: 'before' })
  world.models.last.start().delta('text')
  await clock.settle()
  faults.push({ failure: 'conflict', side: 'before' })
  world.models.last.end().finish()
  await clock.settle()
  await expectSettled(world, [entry])
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

test('C35: who conflicts without an end is told so, and nothing has changed', async () => {
  const clock = virtualClock()
  let isContended = false
  const conflict: Fault = { failure: 'conflict', side: 'before' }
  const world = new World({ stores: faultyStores(memoryStores({ clock }), () => (isContended ? conflict : undefined)), clock })
  await world.harness.start()
  await world.session()
  isContended = true
  const answer = await world.enqueue('one')
  expect(answer.ok ? '' : answer.refusal.code).toBe('STORE_CONFLICT')
  isContended = false
  expect(await world.entries()).toEqual([])
  const entry = await world.prompt('two')
  world.models.last.answer('ok')
  await clock.settle()
  await expectSettled(world, [entry])
})

test('C35: two processes that change one session at the same time both succeed, each once', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const [one, two] = [new World({ stores, clock }), new World({ stores, clock })]
  for (const world of [one, two]) {
    world.models.onCall = (call) => call.start().delta('some').delta(' text').end().finish()
    await world.harness.start()
  }
  await one.session()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : two).enqueue(`prompt ${i}`, { clientRequestId: `${i}` })),
  )
  await clock.advance(60_000)
  await expectSettled(one, answers.map((answer) => ok(answer)))
  expect(await one.runs()).toHaveLength(20)
})

test('C36: a process whose run was taken from it writes nothing of it any more', async () => {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const zombie = await World.started({ stores, clock })
  await zombie.session()
  const entry = await zombie.prompt('one')
  zombie.models.last.start().delta('before')
  await clock.advance(1_000)

  const next = await World.started({ stores, clock })
  next.models.onCall = (call) => call.answer('of the next')
  await next.prompt('two')
  const before = await next.conversation()

  zombie.models.last.delta(' after').end().answer('a second part')
  await clock.advance(60_000)
  expect(await next.conversation()).toEqual(before)
  await expectSettled(next, [entry])
  expect((await next.runs())[0]?.state).toMatchObject({ outcome: { status: 'FAILED', error: { code: 'INTERRUPTED' } } })
})

/** A process whose run another one has interrupted, of which it has not heard, with a session that is idle. */
async function overtaken(): Promise<{ readonly one: World; readonly two: World }> {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const one = await World.started({ stores, clock })
  await one.session()
  await one.prompt('one')
  const two = await World.started({ stores, clock })
  await clock.settle()
  expect((await two.load()).work.kind).toBe('idle')
  return { one, two }
}

test('C80: a process refuses nothing for what a session was before another process changed it', async () => {
  const { one } = await overtaken()
  const answer = await one.enqueue('two', { whenBusy: 'REJECT' })
  expect(ok(answer).status).toBe('STARTED')
})

test('C80: a process stops what another one has begun, and knows what another one has queued', async () => {
  const { one, two } = await overtaken()
  const running = await two.prompt('two')
  const waiting = await two.prompt('three')
  expect(ok(await one.cancel(waiting.queueId))).toBe(true)
  expect(await one.abort()).toBe(running.runId)
  two.models.last.answer('too late')
  await two.clock.settle()
  await expectSettled(two, [running, waiting])
  expect((await two.runs()).at(-1)?.state).toMatchObject({ outcome: { status: 'CANCELLED' } })
})

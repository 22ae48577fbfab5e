import { expect, test } from 'vitest'
import { expectSettled } from '../support/laws.ts'
import { World } from '../support/world.ts'
import type { ToolHandle } from '../../src/ports/tools.ts'

async function prompted(world: World) {
  await world.harness.start()
  await world.session()
  return world.prompt('go')
}

test('X40: tools and model are asked for at the same time; the tools are released once the run is over', async () => {
  const world = new World()
  const entry = await prompted(world)
  expect(world.tools.requests).toHaveLength(1)
  expect(Object.isFrozen(world.tools.requests[0])).toBe(true)
  expect(world.tools.releases).toBe(0)
  world.models.last.answer('Done.')
  await world.clock.settle()
  expect(world.tools.releases).toBe(1)
  await expectSettled(world, [entry])
})

test('X40: they are released when the model cannot be had, and when its call fails', async () => {
  const world = new World()
  world.models.onResolve = () => Promise.reject(new Error('no model'))
  const first = await prompted(world)
  expect(world.tools.releases).toBe(1)
  world.models.onResolve = undefined
  const second = await world.prompt('again')
  world.models.last.fail(new Error('broken'))
  await world.clock.settle()
  expect(world.tools.releases).toBe(2)
  await expectSettled(world, [first, second])
})

test('X40: they are released when they come after the run has given up', async () => {
  const world = new World()
  const late = Promise.withResolvers<ToolHandle>()
  world.tools.onProvide = () => late.promise
  const entry = await prompted(world)
  await world.abort()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'CANCELLED' })
  late.resolve({ tools: [], release: () => world.tools.release() })
  await world.clock.settle()
  expect(world.tools.releases).toBe(1)
  await expectSettled(world, [entry])
})

test('X41: a run of which the tools cannot be had, or clash, fails with a projected error', async () => {
  const world = new World()
  world.tools.onProvide = () => Promise.reject(new Error('the secret is 42'))
  const first = await prompted(world)
  const error = { code: 'TOOLS_UNAVAILABLE', message: 'The tools could not be resolved.', source: 'toolProvider' }
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error })
  world.tools.onProvide = undefined
  world.tools.add('look').add('look')
  const second = await world.prompt('again')
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error })
  expect(world.tools.releases).toBe(1)
  await expectSettled(world, [first, second])
})

test('X42: a release that fails does not hold the run, and is tried again until it succeeds', async () => {
  const world = new World()
  world.tools.onRelease = () => Promise.reject(new Error('busy'))
  const entry = await prompted(world)
  world.models.last.answer('Done.')
  await world.clock.settle()
  await expectSettled(world, [entry])
  await expect(world.harness.close()).rejects.toThrow('Not everything could be stopped')
  world.tools.onRelease = undefined
  await world.harness.close()
  expect(world.tools.releases).toBe(3)
  await world.harness.close()
  expect(world.tools.releases).toBe(3)
})

test('X42: a release that hangs holds the run for the deadline at most, and is not called a second time', async () => {
  const world = new World({ limits: { abortDeadlineMs: 1_000 } })
  const hanging = Promise.withResolvers<void>()
  world.tools.onRelease = () => hanging.promise
  const entry = await prompted(world)
  world.models.last.answer('Done.')
  await world.clock.advance(1_000)
  await expectSettled(world, [entry])
  const closed = world.harness.close()
  hanging.resolve()
  await closed
  expect(world.tools.releases).toBe(1)
})

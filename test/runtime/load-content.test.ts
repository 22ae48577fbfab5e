import { expect, test } from 'vitest'
import { loadContent } from '../../src/runtime/load-content.ts'
import { World } from '../support/world.ts'

test('C80: a session that somebody changes while it is loaded is loaded as it is then', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  const { stores, clock } = world
  let isOver = false
  const find: typeof stores.runs.find = async (...run) => {
    if (!isOver) world.models.last.answer('done')
    isOver = true
    await clock.settle()
    return stores.runs.find(...run)
  }
  const content = await loadContent({ ...stores, runs: { ...stores.runs, find } }, (await world.load()).key)
  expect(content).toMatchObject({ session: { work: { kind: 'idle' } }, entries: [], run: null })
})

test('C80: rows that contradict each other for good are a fault, and nobody waits for them for ever', async () => {
  const world = await World.started()
  await world.session()
  await world.prompt('go')
  const { stores } = world
  const queue = { ...stores.queue, outstanding: async () => [] }
  const { key } = await world.load()
  await expect(loadContent({ ...stores, queue }, key)).rejects.toThrow('contradict each other')
})

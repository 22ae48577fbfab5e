import { expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { grow, ids } from '../support/births.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

/**
 *     top ─ s ─ a ─ c
 *         │   └ b
 *         └ beside
 */
async function family(world: World): Promise<void> {
  await world.session('top')
  await grow(world.stores, await world.load('top'), { s: { a: { c: {} }, b: {} }, beside: {} })
}

test('D1: a session is deleted with all below it, children first, and nothing else', async () => {
  const world = await World.started()
  await family(world)
  const before = await world.load('top')
  expect(before.tree.descendants).toBe(5)
  expect(ok(await remove(world))).toEqual(ids('c', 'a', 'b', 's'))
  for (const id of ['s', 'a', 'b', 'c']) {
    expect(await world.stores.structure.slot(before.scopeKey, asSessionId(id))).toEqual({ kind: 'absent' })
  }
  expect((await world.load('top')).tree.descendants).toBe(1)
  expect((await world.load('beside')).sessionId).toBe('beside')
  const deletions = (await world.events()).filter(({ body }) => body.type === 'session.deleted')
  expect(deletions.map(({ sessionId }) => sessionId)).toEqual(['c', 'a', 'b', 's'])
  expect(deletions.at(-1)?.body).toEqual({
    type: 'session.deleted',
    agent: 'worker',
    depth: 1,
    parentSessionId: 'top',
    deletedBy: 'tester',
  })
  expect(refusal(await remove(world))).toBe('NOT_FOUND')
})

test('D2: runs are stopped and give their tools back before anything is erased', async () => {
  const world = await World.started()
  world.tools.add('write')
  await world.session()
  await world.prompt('work')
  const waiting = await world.prompt('waits')
  world.models.last.start().delta('half').end().calls('write', {})
  await world.clock.settle()
  const { scopeKey, key } = await world.load()
  const deletion = remove(world)
  await world.clock.settle()
  expect(ok(await deletion)).toEqual(ids('s'))
  expect(world.models.last.wasReturned).toBe(true)
  expect(world.tools.releases).toBe(1)
  expect(await world.stores.queue.findMany([waiting.queueId])).toEqual([])
  expect(await world.stores.runs.latest([key])).toEqual([])
  expect((await world.events()).map(({ body }) => body.type)).toEqual(['session.deleted'])
  expect(await world.stores.structure.slot(scopeKey, asSessionId('s'))).toEqual({ kind: 'absent' })
})

test('D2: a tool that deletes the session of its own run does not wait for itself', async () => {
  const world = await World.started()
  const answers: Awaited<ReturnType<typeof remove>>[] = []
  const removed = async () => {
    answers.push(await remove(world))
  }
  world.tools.add('remove', { readOnly: true, execute: removed })
  await world.session()
  await world.prompt('removes itself')
  world.models.last.calls('remove', {}).finish('continue')
  await world.clock.advance(120_000)
  expect(answers.map((answer) => ok(answer))).toEqual([ids('s')])
  expect(await world.types()).toEqual(['session.deleted'])
})

test('D2: tools that delete the session of their run while they are given back do not wait for themselves', async () => {
  const world = await World.started()
  let answer: unknown
  world.tools.onRelease = async () => {
    world.tools.onRelease = undefined
    answer = await remove(world).catch((error: unknown) => error)
  }
  await world.session()
  await world.prompt('works')
  world.models.last.start().delta('half').end().finish('stop')
  await world.clock.advance(120_000)
  expect(answer).toMatchObject({ message: 'The session s could not be erased yet.' })
  expect(ok(await remove(world))).toEqual(ids('s'))
})

import { expect, test } from 'vitest'
import { asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { growOpen } from '../support/births.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const ttlMs = 10_000
const abortDeadlineMs = 5_000

/** Two servers that share stores and a clock; a run of the first one holds tools in a child of `s`. */
async function working() {
  const clock = virtualClock()
  const inner = memoryStores({ clock, isShared: true })
  const join = async () => {
    const { stores, kill } = mortalStores(inner)
    const world = new World({ clock, stores, recovery: 'RESUME', leases: { ttlMs }, limits: { abortDeadlineMs } })
    await world.harness.start()
    return { world, kill }
  }
  const { world: first, kill } = await join()
  const { world: second } = await join()
  await first.session()
  await growOpen(inner, await first.load(), { a: {} })
  await first.prompt('works', { sessionId: asSessionId('a') })
  first.models.last.start().delta('half')
  await clock.settle()
  const { key } = (await inner.scopes.find(asStorageKey(scopeId)))!
  const kindOf = async (id: string) => (await inner.structure.slot(key, asSessionId(id))).kind
  return { clock, first, second, kill, kindOf }
}

const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

test('D12: a run that another process executes is stopped by it, and nothing is erased before', async () => {
  const { clock, first, second, kindOf } = await working()
  const gate = Promise.withResolvers<void>()
  first.tools.onRelease = () => gate.promise
  const deletion = remove(second)
  await clock.settle()
  expect(await kindOf('a')).toBe('tombstoned')
  await clock.advance(3_000)
  expect(first.models.last.wasReturned).toBe(true)
  expect(await kindOf('a')).toBe('tombstoned')
  gate.resolve()
  await clock.advance(3_000)
  expect(ok(await deletion)).toEqual(['a', 's'])
  expect(first.tools.releases).toBe(1)
  expect(await kindOf('a')).toBe('absent')
})

test('D12: the run of a process that died is waited for until its lease and the time to stop are over', async () => {
  const { clock, second, kill, kindOf } = await working()
  kill()
  const deletion = remove(second)
  await clock.advance(ttlMs)
  expect(await kindOf('a')).toBe('tombstoned')
  await clock.advance(abortDeadlineMs + 2_000)
  expect(await kindOf('a')).toBe('absent')
  expect(ok(await deletion)).toEqual(['a', 's'])
})

test('D12: processes that delete the same at the same time finish it once', async () => {
  const { clock, first, second } = await working()
  const deletions = Promise.all([remove(first), remove(second), remove(second, 'a')])
  await clock.advance(5_000)
  const answers = await deletions
  expect(answers.some((answer) => answer.ok && answer.value.length === 2)).toBe(true)
  const told = (await second.events()).filter(({ body }) => body.type === 'session.deleted')
  expect(told.map(({ sessionId }) => sessionId)).toEqual(['a', 's'])
})

test('D15: what a process that died had begun to delete another one finishes, though nobody asks for it', async () => {
  const { clock, first, second, kill, kindOf } = await working()
  const gate = Promise.withResolvers<void>()
  first.tools.onRelease = () => gate.promise
  void remove(first).catch(() => undefined)
  await clock.settle()
  expect(await kindOf('s')).toBe('tombstoned')
  kill()
  await clock.advance(80_000)
  expect([await kindOf('s'), await kindOf('a')]).toEqual(['absent', 'absent'])
  const told = (await second.events()).filter(({ body }) => body.type === 'session.deleted')
  expect(told.map(({ sessionId }) => sessionId)).toEqual(['a', 's'])
})

test('D15: a process that is closing begins to finish nothing more', async () => {
  const { clock, first, second, kill, kindOf } = await working()
  await second.session('t')
  await second.prompt('works too', { sessionId: asSessionId('t') })
  second.models.last.start().delta('half')
  await clock.settle()
  first.tools.onRelease = () => new Promise(() => {})
  void remove(first).catch(() => undefined)
  await clock.settle()
  kill()
  const closing = second.harness.close({ graceMs: 100_000 })
  await clock.advance(90_000)
  expect(await kindOf('s')).toBe('tombstoned')
  await clock.advance(20_000)
  await closing
})

test('D12: tools that are never given back hold nothing but the deletion of their session', async () => {
  const { clock, first, second, kindOf } = await working()
  await first.session('t')
  await first.prompt('works too', { sessionId: asSessionId('t') })
  first.models.last.start().delta('half')
  await clock.settle()
  const gate = Promise.withResolvers<void>()
  first.tools.onRelease = () => gate.promise
  const stuck = remove(second)
  await clock.advance(15_000)
  first.tools.onRelease = undefined
  const other = remove(second, 't')
  await clock.advance(15_000)
  expect([await kindOf('s'), await kindOf('t')]).toEqual(['tombstoned', 'absent'])
  gate.resolve()
  await clock.advance(30_000)
  expect([ok(await stuck), ok(await other)]).toEqual([['a', 's'], ['t']])
})

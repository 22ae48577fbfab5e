import { expect, test } from 'vitest'
import { asSessionId, type ScopeId } from '../../src/kernel/ids.ts'
import { expectSettled } from '../support/laws.ts'
import { LosingWorld } from '../support/losing-world.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const close = (world: World) =>
  world.harness.close({ graceMs: 1_000 }).then(
    () => 'closed',
    (error: unknown) => error,
  )

test('S57: closing during a fence ends, reports it, keeps the queue, and finishes when called again', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.loseNext('before')
  world.models.last.answer('lost')
  await losing.untilFenced()
  const closing = close(world)
  await world.clock.advance(20_000)
  expect(await closing).toMatchObject({
    name: 'AggregateError',
    message: 'Not everything could be stopped. Closing again tries again.',
    errors: [
      { message: expect.stringMatching(/^Could not release the run .*, whose end is not stored\.$/) as string },
      { message: expect.stringMatching(/^The scope \d+ is still fenced\.$/) as string },
    ],
  })
  expect(refusal(await world.enqueue('more'))).toBe('SHUTTING_DOWN')
  expect((await world.load()).work.kind).toBe('running')
  expect(world.clock.pending).toBe(0)

  losing.isMute = false
  const again = close(world)
  await world.clock.advance(20_000)
  expect(await again).toBe('closed')
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { error: { code: 'INTERRUPTED' } } })
  expect((await world.load()).work.kind).toBe('queued')
  expect(await close(world)).toBe('closed')
  await expectSettled(await losing.successor(), entries)
})

test('S57: closing does not wait for a store that does not answer', async () => {
  const losing = await LosingWorld.started({ commits: { resolveDeadlineMs: 100 } })
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  const silence = Promise.withResolvers<void>()
  losing.silence = silence.promise
  losing.onCommit = () => ({ failure: 'uncertain', side: 'before' })
  world.models.last.answer('lost')
  await world.clock.advance(1_000)
  expect(await losing.lifecycle()).toBe('fenced')
  losing.onCommit = undefined
  const closing = close(world)
  await world.clock.advance(20_000)
  expect(await closing).toMatchObject({ name: 'AggregateError' })

  silence.resolve()
  const again = close(world)
  await world.clock.advance(20_000)
  expect(await again).toBe('closed')
  await expectSettled(world, [entry])
  expect((await world.types()).filter((type) => type.startsWith('scope.'))).toEqual(['scope.fenced', 'scope.restored'])
})

test('S57: a fence that can be lifted within the grace is', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.loseNext('after')
  world.models.last.answer('lost')
  await losing.untilFenced()
  losing.isMute = false
  const closing = close(world)
  await world.clock.advance(20_000)
  expect(await closing).toBe('closed')
  expect((await world.types()).slice(-2)).toEqual(['scope.fenced', 'scope.restored'])
  expect((await world.load()).work.kind).toBe('queued')
  await expectSettled(await losing.successor(), entries)
})

test('S57: runs whose ends cannot be stored are reported all at once, and ended when closing is called again', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  for (const id of ['s', 'other']) await world.session(id)
  const entry = await world.prompt('runs')
  const another = await world.prompt('runs', { sessionId: asSessionId('other') })
  losing.onCommit = () => ({ failure: 'notCommitted', side: 'before' })
  const closing = close(world)
  await world.clock.advance(60_000)
  expect(await closing).toMatchObject({ errors: [{ cause: { failure: 'notCommitted' } }, { cause: {} }] })
  losing.onCommit = undefined
  const [one, two] = [close(world), close(world)]
  await world.clock.advance(1_000)
  expect(await Promise.all([one, two])).toEqual(['closed', 'closed'])
  await expectSettled(world, [entry])
  await expectSettled(world, [another], 'other')
  expect((await world.runs())[0]?.state).toMatchObject({ outcome: { error: { code: 'INTERRUPTED' } } })
})

test('S57: a run whose end could not be stored is ended once, whoever ended it meanwhile', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  losing.onCommit = () => ({ failure: 'notCommitted', side: 'before' })
  const closing = close(world)
  await world.clock.advance(60_000)
  expect(await closing).toMatchObject({ errors: [{}] })
  losing.onCommit = undefined
  const successor = await World.started({ stores: losing.inner, clock: world.clock })
  await successor.prompt('its own')
  expect(await close(world)).toBe('closed')
  successor.models.last.answer('not disturbed')
  await world.clock.settle()
  await expectSettled(successor, [entry])
  expect((await successor.runs())[1]?.state).toMatchObject({ outcome: { status: 'COMPLETED' } })
})

test('S57: a fence during the close, and a retirement that waits for it, end with it', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entry = await world.prompt('runs')
  ok(await world.harness.createSession({ scopeId: 'b' as ScopeId, sessionId: asSessionId('s') }, caller))
  losing.loseNext('before')
  const retiring = world.harness.retireScope({ scopeId }, caller).then(
    (answer) => refusal(answer),
    (error: unknown) => (error instanceof AggregateError ? 'failed' : error),
  )
  const closing = close(world)
  await world.clock.advance(60_000)
  expect(await retiring).toBe('failed')
  expect(await closing).toMatchObject({ name: 'AggregateError' })
  losing.isMute = false
  const again = close(world)
  await world.clock.advance(20_000)
  expect(await again).toBe('closed')
  await expectSettled(world, [entry])
})

test('S57: after a fatal failure nothing is taken until the restart, closing says so, and the next process goes on', async () => {
  const losing = await LosingWorld.started()
  const { world } = losing
  await world.session()
  const entries = [await world.prompt('runs'), await world.prompt('waits')]
  losing.onCommit = () => ({ failure: 'fatal', side: 'before' })
  world.models.last.answer('lost')
  await world.clock.settle()
  losing.onCommit = undefined
  await world.clock.advance(3_600_000)
  expect(await losing.lifecycle()).toBe('fenced')
  expect(world.harness.isHealthy).toBe(false)
  const closing = close(world)
  await world.clock.advance(60_000)
  expect(await closing).toMatchObject({ name: 'AggregateError' })
  await expectSettled(await losing.successor(), entries)
})

import { expect, test } from 'vitest'
import type { SessionId } from '../../src/kernel/ids.ts'
import type { DelegatedRun } from '../../src/ports/delegated-run-admission.ts'
import { admitting, childId, delegated, endOf, expectNothingBegun, toldOf } from '../support/admitted-delegation.ts'
import { chain, childrenOf, delegate, delegating, endsOf, expectTreeSettled, say } from '../support/delegating.ts'
import { textOf } from '../support/scripted-runs.ts'
import { scopeId, type World } from '../support/world.ts'

const failure = (code: string) => `FAILED ${code} delegatedRunAdmission`

/** What a provider should be told of the newest run of a child. */
async function truthOf(world: World, parent: string, child: SessionId): Promise<Omit<DelegatedRun, 'signal'>> {
  const [above, below] = [await world.load(parent), await world.load(child)]
  const [parentRun, run] = [(await world.runs(parent)).at(-1), (await world.runs(child)).at(-1)]
  const { origin, agent, depth } = below.place
  if (!parentRun || !run || !origin || agent === null) throw new Error('The child has not run.')
  return {
    scopeId,
    storageKey: scopeId as string as never,
    sessionId: child,
    generation: below.generation,
    queueId: run.queueId,
    runId: run.runId,
    parent: {
      sessionId: above.sessionId,
      generation: above.generation,
      queueId: parentRun.queueId,
      runId: parentRun.runId,
      toolCallId: 'd0',
    },
    origin: { runId: origin.parentRunId, toolCallId: origin.parentToolCallId },
    agent,
    depth,
  }
}

test('G80: nothing of a delegated run exists while the application is asked; let in, it runs, and completes', async () => {
  const { world, admission } = await admitting()
  await delegated(world, say('found'))
  const child = await childId(world)
  expect(await endOf(world, child)).toBe('queued')
  await expectNothingBegun(world, child)
  admission.onClose = async () => {}
  admission.last.admit()
  await world.clock.settle()
  const { signal, ...told } = admission.last.run
  expect(told).toEqual(await truthOf(world, 's', child))
  expect(signal.aborted).toBe(false)
  expect([admission.asked.length, admission.last.closed]).toEqual([1, 1])
  expect(await world.calls()).toMatchObject([{ status: 'COMPLETED', output: { text: 'found' } }])
  await expectTreeSettled(world)
})

test('G80: a run that goes on with a child names the call that made it, and the one that waits now', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  admission.onClose = async () => {}
  await delegated(world, say('first'))
  const taskId = await childId(world)
  await world.prompt(textOf(delegate({ to: 'researcher', script: say('second'), taskId })))
  const { signal: _, ...told } = admission.last.run
  expect(told).toEqual(await truthOf(world, 's', taskId))
  expect(told.origin.runId).not.toBe(told.parent.runId)
  expect(admission.asked.map(({ closed }) => closed)).toEqual([1, 1])
})

test('G80: every level of a chain is asked for, and its lease closed before that of the level above', async () => {
  const { world, admission } = await admitting({ limits: { maxSubagentDepth: 8 } })
  const closed: number[] = []
  admission.onAcquire = (asked) => {
    asked.answered.resolve({ close: () => void closed.push(asked.run.depth) })
  }
  await world.prompt(textOf(chain(3, say('deep'))))
  expect(admission.asked.map(({ run }) => run.depth)).toEqual([1, 2, 3])
  expect(closed).toEqual([3, 2, 1])
  await expectTreeSettled(world)
})

test('G80: prompts of clients, and delegated ones where the application has no say, ask nobody', async () => {
  const { world, admission } = await admitting()
  await world.prompt(textOf(say('hello')))
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  expect(admission.asked).toHaveLength(0)
  const free = await delegating()
  await delegated(free, say('found'))
  expect(await endsOf(free)).toEqual(['COMPLETED'])
})

test('G82: a refusal fails the prompt of the child and the call of its parent, which goes on; nothing began', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.refuse()
  await delegated(world, say('never'))
  const child = await childId(world)
  expect(await endOf(world, child)).toBe(failure('ADMISSION_FAILED'))
  await expectNothingBegun(world, child)
  expect(await toldOf(world, child)).toEqual(['prompt.queued', 'prompt.finished'])
  const message = 'The subagent failed. The admission of the delegated run failed.'
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_FAILED', message } }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  const stored = JSON.stringify([await world.events(), await world.conversation(), await world.entries(child)])
  expect(stored).not.toContain('the secret is 42')
  expect(world.lines).toContainEqual(expect.objectContaining({ level: 'error', message: 'a delegated run was not admitted' }))
  await expectTreeSettled(world)
})

test('G82: what the application says of its refusal is what the parent is told', async () => {
  const errorProjector = (_: unknown, source: string) => ({ code: 'QUOTA', message: `${source}: no more today.` })
  const { world, admission } = await admitting({ errorProjector })
  admission.onAcquire = (asked) => asked.refuse()
  await delegated(world, say('never'))
  expect(await endOf(world, await childId(world))).toBe(failure('QUOTA'))
  const message = 'The subagent failed. delegatedRunAdmission: no more today.'
  expect(await world.calls()).toMatchObject([{ error: { message } }])
})

test('G82: what is no lease fails like a refusal, and says what is missing', async () => {
  const { world } = await admitting({ delegatedRunAdmission: { acquire: () => ({}) as never } })
  await delegated(world, say('never'))
  const child = await childId(world)
  expect(await endOf(world, child)).toBe(failure('VALIDATION_FAILED'))
  await expectNothingBegun(world, child)
  expect((await world.calls())[0]?.error?.message).toContain('return a lease, which is an object with a function "close"')
})

test('G86: the end of a run is stored only after its lease was closed', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  await delegated(world, say('found'))
  const child = await childId(world)
  expect(await endOf(world, child)).toBe('running')
  expect(await world.runs(child)).toMatchObject([{ state: { kind: 'generating' } }])
  admission.last.closes[0]?.resolve()
  await world.clock.settle()
  expect(await endOf(world, child)).toBe('COMPLETED')
  expect(admission.last.closes).toHaveLength(1)
})

test('G86: a lease that cannot be closed fails the run that had completed, and is kept', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  await delegated(world, say('found'))
  const child = await childId(world)
  admission.last.closes[0]?.reject(new Error('the secret is 42'))
  await world.clock.settle()
  expect(await endOf(world, child)).toBe(failure('ADMISSION_FAILED'))
  expect(await world.conversation(child)).toMatchObject([{}, { parts: [{ text: 'found' }] }])
  expect(await world.calls()).toMatchObject([{ status: 'FAILED', error: { code: 'SUBAGENT_FAILED' } }])
  expect(await endsOf(world)).toEqual(['COMPLETED'])
  await expectTreeSettled(world)
  admission.onClose = async () => {}
  await world.harness.close()
  expect([admission.last.closes.length, admission.last.closed]).toEqual([2, 1])
})

test('G86: a lease that hangs while it is closed fails the run after the deadline, and is not closed twice', async () => {
  const { world, admission } = await admitting({ limits: { abortDeadlineMs: 1_000 } })
  admission.onAcquire = (asked) => asked.admit()
  await delegated(world, say('found'))
  await world.clock.advance(1_000)
  expect(await endOf(world, await childId(world))).toBe(failure('ADMISSION_FAILED'))
  const closed = world.harness.close()
  await world.clock.settle()
  admission.last.closes[0]?.resolve()
  await closed
  expect([admission.last.closes.length, admission.last.closed]).toEqual([1, 1])
})

test('G86: a run that fails closes its lease, and keeps its error when that fails too', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  for (const close of ['resolve', 'reject'] as const) {
    await delegated(world, { hang: 'first' })
    world.models.last.fail(new Error('broken'))
    await world.clock.settle()
    if (close === 'resolve') admission.last.closes[0]?.resolve()
    else admission.last.closes[0]?.reject(new Error('busy'))
    await world.clock.settle()
    const ends = await Promise.all((await childrenOf(world)).map(({ sessionId }) => endOf(world, sessionId)))
    expect(new Set(ends)).toEqual(new Set(['FAILED MODEL_FAILED model']))
  }
  expect(admission.asked.map(({ closed, closes }) => [closed, closes.length])).toEqual([
    [1, 1],
    [0, 1],
  ])
  const errors = world.lines.filter(({ level }) => level === 'error').map(({ message }) => message)
  expect(errors).toContain('the lease of a delegated run could not be closed: trying again later')
})

test('G86: a child whose model cannot be had closes its lease', async () => {
  const { world, admission } = await admitting()
  admission.onAcquire = (asked) => asked.admit()
  admission.onClose = async () => {}
  world.models.onResolve = async (request) => {
    if (request.agent !== null) throw new Error('no model')
    world.models.onResolve = undefined
    const model = await world.models.resolve(request)
    world.models.onResolve = () => Promise.reject(new Error('no model'))
    return model
  }
  await delegated(world, say('never'))
  expect(await endOf(world, await childId(world))).toBe('FAILED MODEL_UNAVAILABLE modelResolver')
  expect(admission.last.closed).toBe(1)
  await expectTreeSettled(world)
})

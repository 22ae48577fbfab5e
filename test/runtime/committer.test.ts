import { expect, test } from 'vitest'
import type { ScopeKey, WriteId } from '../../src/kernel/ids.ts'
import { type FailureClass, failureClassOf, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Commit, Committed, UnitOfWork } from '../../src/ports/stores/unit-of-work.ts'
import { CommitHeld } from '../../src/runtime/commit-held.ts'
import { CommitLost } from '../../src/runtime/commit-lost.ts'
import { Committer, type CommitPolicy, type CommitOutcome } from '../../src/runtime/committer.ts'
import { virtualClock } from '../support/virtual-clock.ts'

const keyOf = (key: number) => key as ScopeKey

const commit = (key: number): Commit => ({
  scopeKey: keyOf(key),
  created: [],
  sessions: [],
  rollUps: [],
  rows: [],
  events: [],
})

type Script = (writeId: WriteId, group: readonly Commit[]) => Promise<readonly Committed[]>

/** A unit of work in the hands of a test. */
class ScriptedUnit implements UnitOfWork {
  readonly groups: (readonly Commit[])[] = []
  readonly resolved: WriteId[] = []
  script: Script = (_, group) => Promise.resolve(numbered(group))
  outcome: () => Promise<'committed' | 'absent'> = () => Promise.resolve('absent')

  commit(writeId: WriteId, group: readonly Commit[]): Promise<readonly Committed[]> {
    this.groups.push(group)
    return this.script(writeId, group)
  }

  outcomeOf(writeId: WriteId): Promise<'committed' | 'absent'> {
    this.resolved.push(writeId)
    return this.outcome()
  }

  forget = () => Promise.resolve(0)
}

const numbered = (group: readonly Commit[]) => group.map(({ scopeKey }) => ({ firstSequence: scopeKey, firstRevision: 1 }))

const failing = (failure: FailureClass) => Promise.reject(new StoreFailure(failure, failure))

/** The class of the failure that a submission ends with. */
const failureOf = (submission: Promise<unknown>): Promise<FailureClass> =>
  submission.then(() => Promise.reject(new Error('It was committed.')), failureClassOf)

function setUp(policy: Partial<CommitPolicy> = {}) {
  const unit = new ScriptedUnit()
  const clock = virtualClock()
  const durable: [Commit, CommitOutcome][] = []
  const lost: ScopeKey[][] = []
  let ids = 0
  const silent = () => undefined
  const committer = new Committer({
    unit,
    clock,
    ids: { uuid: () => `write-${++ids}` },
    log: { info: silent, warn: silent, error: silent },
    onCommitted: (...told) => durable.push(told),
    onLost: (scopes) => lost.push([...scopes]),
    policy,
  })
  return { unit, clock, committer, durable, lost }
}

test('C31: what arrives while a group is in flight becomes the next one', async () => {
  const { unit, committer, clock, durable } = setUp()
  const gate = Promise.withResolvers<void>()
  unit.script = async (_, group) => {
    await gate.promise
    return numbered(group)
  }
  const first = committer.submit(commit(1))
  await clock.settle()
  const others = [2, 3, 4].map((scope) => committer.submit(commit(scope)))
  gate.resolve()
  expect((await Promise.all([first, ...others])).map((outcome) => outcome !== 'unnumbered' && outcome.firstSequence)).toEqual(
    [1, 2, 3, 4],
  )
  expect(unit.groups.map(({ length }) => length)).toEqual([1, 3])
  expect(durable.map(([{ scopeKey }]) => scopeKey)).toEqual([1, 2, 3, 4])
  await committer.drain()
})

test('C31: a group is never larger than its limit', async () => {
  const { unit, committer } = setUp({ maxGroup: 2 })
  await Promise.all([1, 2, 3, 4, 5].map((scope) => committer.submit(commit(scope))))
  expect(unit.groups.map(({ length }) => length)).toEqual([2, 2, 1])
})

test('C32: a member that conflicts is tried alone and never fails the others', async () => {
  const { unit, committer, durable } = setUp()
  unit.script = (_, group) =>
    group.some(({ scopeKey }) => scopeKey === 2) ? failing('conflict') : Promise.resolve(numbered(group))
  const outcomes = await Promise.allSettled([1, 2, 3].map((scope) => committer.submit(commit(scope))))
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(outcomes[1]).toMatchObject({ reason: { failure: 'conflict' } })
  expect(durable.map(([{ scopeKey }]) => scopeKey)).toEqual([1, 3])
})

test('C34: what is known not to have happened is repeated a bounded number of times, with a new write id each', async () => {
  const { unit, committer, clock } = setUp({ maxRepeats: 2 })
  const ids: WriteId[] = []
  unit.script = (writeId) => {
    ids.push(writeId)
    return failing('notCommitted')
  }
  const outcome = failureOf(committer.submit(commit(1)))
  await clock.advance(10_000)
  await expect(outcome).resolves.toBe('notCommitted')
  expect(ids).toEqual(['write-1', 'write-2', 'write-3'])
  unit.script = (_, group) => Promise.resolve(numbered(group))
  await expect(committer.submit(commit(1))).resolves.toMatchObject({ firstSequence: 1 })
})

test.each(['uncertain', 'unknown'] as const)(
  'C30: a commit that fails as %s is answered only when it was resolved by its write id',
  async (kind) => {
    const { unit, committer, clock, durable } = setUp()
    unit.script = () => (kind === 'unknown' ? Promise.reject(new Error('Connection terminated')) : failing('uncertain'))
    const resolution = Promise.withResolvers<'committed' | 'absent'>()
    unit.outcome = () => resolution.promise
    let isAnswered = false
    const outcome = committer.submit(commit(1)).finally(() => {
      isAnswered = true
    })
    await clock.settle()
    expect(isAnswered).toBe(false)
    resolution.resolve('committed')
    await expect(outcome).resolves.toBe('unnumbered')
    expect(unit.resolved).toEqual(['write-1'])
    expect(unit.groups).toHaveLength(1)
    expect(durable).toHaveLength(1)
  },
)

test('C30: an uncertain commit that turns out absent is made again', async () => {
  const { unit, committer, clock } = setUp()
  let tries = 0
  unit.script = (_, group) => (++tries === 1 ? failing('uncertain') : Promise.resolve(numbered(group)))
  const outcome = committer.submit(commit(1))
  await clock.advance(1_000)
  await expect(outcome).resolves.toMatchObject({ firstSequence: 1 })
  expect(unit.resolved).toEqual(['write-1'])
})

test('C30: a store that does not answer in time is uncertain, and its late answer is ignored', async () => {
  const { unit, committer, clock, durable } = setUp({ commitDeadlineMs: 100 })
  const late = Promise.withResolvers<readonly Committed[]>()
  unit.script = () => late.promise
  unit.outcome = () => Promise.resolve('committed')
  const outcome = committer.submit(commit(1))
  await clock.advance(100)
  await expect(outcome).resolves.toBe('unnumbered')
  late.resolve(numbered([commit(1)]))
  await clock.settle()
  expect(durable).toHaveLength(1)
})

test('C75: however many wait for a store that takes nothing, each is answered by his deadlines', async () => {
  const { unit, committer, clock } = setUp({ commitDeadlineMs: 15_000, resolveDeadlineMs: 30_000 })
  unit.script = async () => {
    await clock.sleep(5_000)
    return failing('notCommitted')
  }
  const waits: number[] = []
  const submit = async () => {
    const began = clock.monotonic()
    const failure = await failureOf(committer.submit(commit(1)))
    waits.push(clock.monotonic() - began)
    return failure
  }
  const failures = Array.from({ length: 200 }, submit)
  await clock.advance(4_000)
  failures.push(...Array.from({ length: 200 }, submit))
  await clock.advance(120_000)
  expect(new Set(await Promise.all(failures))).toEqual(new Set(['notCommitted']))
  expect(Math.max(...waits)).toBeLessThanOrEqual(20_000)
  unit.script = (_, group) => Promise.resolve(numbered(group))
  await expect(committer.submit(commit(1))).resolves.toMatchObject({ firstSequence: 1 })
})

test('C75: what waited behind a commit that was uncertain for long is not begun any more', async () => {
  const { unit, committer, clock } = setUp({ commitDeadlineMs: 1_000, resolveDeadlineMs: 5_000 })
  unit.script = () => failing('uncertain')
  unit.outcome = async () => {
    await clock.sleep(4_000)
    return 'absent'
  }
  const first = failureOf(committer.submit(commit(1)))
  await clock.advance(1)
  const second = failureOf(committer.submit(commit(2)))
  await clock.advance(10_000)
  expect([await first, await second]).toEqual(['notCommitted', 'notCommitted'])
  expect(unit.groups.map((group) => group.map(({ scopeKey }) => scopeKey))).toEqual([[1]])
})

test('C33: a commit that cannot be resolved in time holds its scope until it is known, and no other', async () => {
  const { unit, committer, clock, lost } = setUp({ resolveDeadlineMs: 1_000 })
  unit.script = () => failing('uncertain')
  unit.outcome = () => Promise.reject(new Error('no connection'))
  const first = failureOf(committer.submit(commit(1)))
  await clock.advance(5_000)
  await expect(first).resolves.toBe('fatal')
  expect(lost).toEqual([[1]])
  expect([committer.isHealthy, committer.holds(keyOf(1)), committer.holds(keyOf(2))]).toEqual([false, true, false])
  unit.script = (_, group) => Promise.resolve(numbered(group))
  const groups = unit.groups.length
  await expect(committer.submit(commit(1))).rejects.toBeInstanceOf(CommitHeld)
  expect(unit.groups).toHaveLength(groups)
  await expect(committer.submit(commit(2))).resolves.toMatchObject({ firstSequence: 2 })

  await expect(committer.resolve(keyOf(1))).rejects.toThrow('unknown')
  unit.outcome = () => Promise.resolve('absent')
  await committer.resolve(keyOf(1))
  expect([committer.isHealthy, committer.holds(keyOf(1))]).toEqual([true, false])
  await expect(committer.submit(commit(1))).resolves.toMatchObject({ firstSequence: 1 })
})

test('C33: a lost group holds every scope in it, and what of them waited is not sent', async () => {
  const { unit, committer, clock, lost } = setUp({ resolveDeadlineMs: 1_000 })
  unit.script = (_, group) => (group.length === 3 ? failing('uncertain') : Promise.resolve(numbered(group)))
  unit.outcome = () => Promise.reject(new Error('no connection'))
  const group = Promise.allSettled([1, 2, 1].map((key) => committer.submit(commit(key))))
  await clock.settle()
  const waiting = Promise.allSettled([1, 3, 2].map((key) => committer.submit(commit(key))))
  await clock.advance(5_000)
  expect(lost).toEqual([[1, 2]])
  const isLost = (one: PromiseSettledResult<unknown>) => one.status === 'rejected' && one.reason instanceof CommitLost
  expect((await group).map(isLost)).toEqual([true, true, true])
  expect((await waiting).map((one) => (one.status === 'rejected' ? one.reason instanceof CommitHeld : 'durable'))).toEqual([
    true,
    'durable',
    true,
  ])
  expect(unit.groups.slice(1)).toEqual([[commit(3)]])
})

const fates = ['committed', 'absent'] as const

test.each(fates)('C33: a lost commit that turns out %s says so, and wakes readers if need be', async (fate) => {
  const { unit, committer, durable } = setUp({ resolveDeadlineMs: 0 })
  unit.script = () => failing('uncertain')
  unit.outcome = () => Promise.reject(new Error('no connection'))
  const error = await committer.submit(commit(1)).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof CommitLost)) throw new Error('It was not lost.')
  expect(durable).toEqual([])
  unit.outcome = () => Promise.resolve(fate)
  await Promise.all([committer.resolve(keyOf(1)), committer.resolve(keyOf(1))])
  expect(unit.resolved).toEqual(['write-1', 'write-1'])
  await expect(error.outcome).resolves.toBe(fate)
  expect(durable).toEqual(fate === 'committed' ? [[commit(1), 'unnumbered']] : [])
})

test('C33: whoever waits for the commits of a scope waits for those submitted before, and for no others', async () => {
  const { unit, committer, clock } = setUp()
  const gates = [1, 2].map(() => Promise.withResolvers<void>())
  unit.script = async (_, group) => {
    await gates[unit.groups.length - 1]?.promise
    return numbered(group)
  }
  const first = committer.submit(commit(1))
  let isAnswered = false
  const answered = committer.answered(keyOf(1)).then(() => {
    isAnswered = true
  })
  await committer.answered(keyOf(2))
  await clock.settle()
  expect(isAnswered).toBe(false)
  const second = committer.submit(commit(1))
  gates[0]?.resolve()
  await answered
  gates[1]?.resolve()
  await Promise.all([first, second])
})

test('C33: a resolution that never answers ends by its deadline', async () => {
  const { unit, committer, clock } = setUp({ resolveDeadlineMs: 1_000 })
  unit.script = () => failing('uncertain')
  unit.outcome = () => new Promise(() => undefined)
  const first = failureOf(committer.submit(commit(1)))
  await clock.advance(5_000)
  await expect(first).resolves.toBe('fatal')
})

test('C33: a store that cannot be trusted any more is asked nothing, for no scope', async () => {
  const { unit, committer } = setUp()
  unit.script = () => failing('fatal')
  await expect(committer.submit(commit(1))).rejects.toBeInstanceOf(CommitLost)
  await expect(committer.submit(commit(1))).rejects.toBeInstanceOf(CommitHeld)
  await expect(committer.submit(commit(2))).rejects.toBeInstanceOf(CommitHeld)
  await expect(committer.resolve(keyOf(1))).rejects.toThrow('restart')
  expect(unit.groups).toHaveLength(1)
  expect(unit.resolved).toEqual([])
})

import { expect, test } from 'vitest'
import { asGenerationId, asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import type { CohortEntry } from '../../src/domain/deletion/cohort.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { bear, bury, growOpen } from '../support/births.ts'
import { intrudedStores } from '../support/intruded-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const entryOf = ({ sessionId, generation }: Pick<StoredSession, 'sessionId' | 'generation'>): CohortEntry => ({
  sessionId,
  ...generation,
})

const cohortOf = async (world: World, ...ids: readonly string[]): Promise<readonly CohortEntry[]> =>
  Promise.all(ids.map(async (id) => entryOf(await world.load(id))))

const removeCohort = (world: World, root: CohortEntry, authorizedCohort: readonly CohortEntry[]) =>
  world.harness.deleteSessionGenerationCohort({ scopeId, root, authorizedCohort }, caller)

const remove = (world: World, id: string) => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

async function kindsOf(world: World, ...ids: readonly string[]): Promise<readonly string[]> {
  const scope = await world.stores.scopes.find(asStorageKey(scopeId))
  return Promise.all(ids.map(async (id) => (await world.stores.structure.slot(scope!.key, asSessionId(id))).kind))
}

/** A tree s ─ a ─ c, s ─ b. */
async function family(options: ConstructorParameters<typeof World>[0] = {}): Promise<World> {
  const world = await World.started(options)
  await world.session()
  await growOpen(world.stores, await world.load(), { a: { c: {} }, b: {} })
  return world
}

const all = ['s', 'a', 'b', 'c']

test('D20: a cohort that names the whole subtree deletes it; entries that no longer exist do not matter', async () => {
  const world = await family()
  const [root, ...others] = await cohortOf(world, ...all)
  const gone = { ...root!, sessionId: asSessionId('gone') }
  expect(await removeCohort(world, root!, [gone, ...others, root!])).toEqual({ ok: true, value: true })
  expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('absent'))
  expect(await removeCohort(world, root!, [root!])).toEqual({ ok: true, value: false })
})

test('D20: a root that is not there in exactly its generation is no match, whatever else is wrong', async () => {
  const world = await family()
  const [root] = await cohortOf(world, 's')
  for (const other of [
    { ...root!, generationId: asGenerationId('another') },
    { ...root!, generationSequence: 2 },
    { ...root!, sessionId: asSessionId('nobody') },
  ]) {
    expect(await removeCohort(world, other, [other])).toEqual({ ok: true, value: false })
  }
  const elsewhere = { scopeId: 'nowhere' as typeof scopeId, root: root!, authorizedCohort: [root!] }
  expect(await world.harness.deleteSessionGenerationCohort(elsewhere, caller)).toEqual({ ok: true, value: false })
  expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('live'))
})

test('D21: what would be deleted besides is listed, and nothing happens', async () => {
  const world = await family()
  const [root, a] = await cohortOf(world, 's', 'a')
  const old = { ...a!, generationSequence: 77 }
  const answer = await removeCohort(world, root!, [root!, old])
  const actual = async (id: string) => (await world.load(id)).generation
  const { sessionId: _, ...expected } = old
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'COHORT_MISMATCH', totalMismatches: 3 } })
  expect(!answer.ok && answer.refusal.code === 'COHORT_MISMATCH' && answer.refusal.sessions).toEqual([
    { sessionId: 'a', expected, actual: await actual('a') },
    { sessionId: 'c', expected: null, actual: await actual('c') },
    { sessionId: 'b', expected: null, actual: await actual('b') },
  ])
  expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('live'))
})

test('D21: a malformed cohort is refused by the name of the field', async () => {
  const world = await family()
  const [root, a] = await cohortOf(world, 's', 'a')
  const answer = await removeCohort(world, root!, [a!, { ...a!, generationSequence: 0 }])
  expect(answer).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED' } })
  const paths = !answer.ok && answer.refusal.code === 'VALIDATION_FAILED' && answer.refusal.issues.map(({ path }) => path)
  expect(paths).toEqual([
    ['authorizedCohort', 1, 'generationSequence'],
    ['authorizedCohort', 1, 'sessionId'],
    ['authorizedCohort'],
  ])
})

/** The tree, with tools that are stuck in `id`, and its deletion begun. */
async function dying(busy: string, top: string) {
  const world = await family()
  const cohort = await cohortOf(world, ...all)
  world.tools.onRelease = async () => {
    throw new Error('The tools are stuck.')
  }
  await world.prompt('works', { sessionId: asSessionId(busy) })
  world.models.last.start().delta('half')
  await world.clock.settle()
  await expect(remove(world, top)).rejects.toThrow('could not be erased yet')
  return { world, cohort: new Map(cohort.map((entry) => [String(entry.sessionId), entry])) }
}

test('D22: sessions below that are being deleted already must be authorised as well', async () => {
  const { world, cohort } = await dying('c', 'a')
  const [s, a, b, c] = all.map((id) => cohort.get(id)!)
  const answer = await removeCohort(world, s!, [s!, b!])
  expect(!answer.ok && answer.refusal.code === 'COHORT_MISMATCH' && answer.refusal.sessions.map((it) => it.sessionId)).toEqual([
    'a',
    'c',
  ])
  world.tools.onRelease = undefined
  expect(await removeCohort(world, s!, [s!, a!, b!, c!])).toEqual({ ok: true, value: true })
  expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('absent'))
})

test('D22: a root that is being deleted needs its whole group, above it and beside it; then it is finished', async () => {
  const { world, cohort } = await dying('c', 's')
  const [s, a, b, c] = all.map((id) => cohort.get(id)!)
  const answer = await removeCohort(world, a!, [a!, c!])
  expect(!answer.ok && answer.refusal.code === 'COHORT_MISMATCH' && answer.refusal.sessions.map((it) => it.sessionId)).toEqual([
    's',
    'b',
  ])
  expect(await removeCohort(world, { ...a!, generationSequence: 9 }, [{ ...a!, generationSequence: 9 }])).toEqual({
    ok: true,
    value: false,
  })
  await expect(removeCohort(world, a!, [s!, a!, b!, c!])).rejects.toThrow('could not be erased yet')
  world.tools.onRelease = undefined
  expect(await removeCohort(world, a!, [s!, a!, b!, c!])).toEqual({ ok: true, value: true })
  expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('absent'))
})

/** A world in which something else can happen between any two calls of the store. */
async function intruded() {
  const clock = virtualClock()
  const inner = memoryStores({ clock })
  const { stores, arm, calls } = intrudedStores(inner)
  const world = await family({ stores, clock })
  const other = await World.started({ stores: inner, clock })
  const cohort = await cohortOf(world, ...all)
  return { world, inner, other, cohort, arm, calls }
}

async function callsOf(): Promise<number> {
  const { world, cohort, arm, calls } = await intruded()
  arm(Infinity, async () => undefined)
  ok(await removeCohort(world, cohort[0]!, cohort))
  return calls()
}

test('D23: a child that is born meanwhile is either not born, or the reason why nothing is deleted', async () => {
  const seen = new Set<string>()
  const count = await callsOf()
  for (let at = 1; at <= count; at++) {
    const { world, inner, cohort, arm } = await intruded()
    const parent = await world.load('c')
    let isBorn = false
    arm(at, async () => {
      isBorn = await bear(inner, parent, { sessionId: 'late' }).then(
        () => true,
        () => false,
      )
    })
    const answer = await removeCohort(world, cohort[0]!, cohort)
    const outcome = answer.ok ? `matched: ${answer.value}` : answer.refusal.code
    expect([isBorn, outcome], `call ${at}`).toEqual(isBorn ? [true, 'COHORT_MISMATCH'] : [false, 'matched: true'])
    const kinds = await kindsOf(world, ...all, 'late')
    expect(kinds, `call ${at}`).toEqual(isBorn ? Array(5).fill('live') : Array(5).fill('absent'))
    seen.add(outcome)
  }
  expect(seen.size).toBe(2)
})

test('D23: a generation that was created anew is never deleted by an old cohort', async () => {
  for (let at = 1; at <= (await callsOf()); at++) {
    const { world, other, cohort, arm } = await intruded()
    let isAnew = false
    arm(at, async () => {
      isAnew = (await remove(other, 's')).ok
      if (isAnew) await other.session('s')
    })
    const answer = await removeCohort(world, cohort[0]!, cohort)
    const matched = answer.ok ? answer.value : answer.refusal.code
    const kinds = await kindsOf(world, 's', 'a')
    const expected = isAnew ? [matched, ['live', 'absent']] : [true, ['absent', 'absent']]
    expect([at, matched, kinds]).toEqual([at, ...expected])
  }
})

test('D23: what is deleted below meanwhile, by somebody else, needs no authority twice', async () => {
  for (let at = 1; at <= (await callsOf()); at++) {
    const { world, other, cohort, arm } = await intruded()
    arm(at, () => remove(other, 'a'))
    expect([at, await removeCohort(world, cohort[0]!, cohort)]).toEqual([at, { ok: true, value: true }])
    expect(await kindsOf(world, ...all)).toEqual(Array(4).fill('absent'))
  }
})

test('D23: what begins to be deleted meanwhile, by somebody else, is listed once', async () => {
  for (let at = 1; at <= (await callsOf()); at++) {
    const { world, inner, cohort, arm } = await intruded()
    const a = await world.load('a')
    arm(at, () => bury(inner, a))
    const answer = await removeCohort(world, cohort[0]!, [cohort[0]!])
    const mismatch = answer.ok || answer.refusal.code !== 'COHORT_MISMATCH' ? undefined : answer.refusal
    const listed = mismatch?.sessions.map(({ sessionId }) => String(sessionId)).toSorted()
    expect([at, listed, mismatch?.totalMismatches]).toEqual([at, ['a', 'b', 'c'], 3])
  }
})

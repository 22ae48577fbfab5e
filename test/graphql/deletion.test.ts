import { expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { bury, grow } from '../support/births.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { Api, at, codesOf, type Data, Feed } from './api.ts'
import { exampleOperations } from './example-operations.ts'

const DELETE = source('Delete')
const DELETE_COHORT = source('DeleteCohort')
const COHORT = '{ session(scopeId: "default", sessionId: "s") { cohort { sessionId generationId generationSequence } } }'
const TOMBSTONES = `{ scope(id: "default") { tombstones { edges { node {
  sessionId generation { generationId generationSequence } deletedAt deletedBy depth
  root { sessionId generation { generationSequence } }
  subagent { agent parentSessionId parentGeneration { generationSequence } parentRunId parentToolCallId }
} } } } }`

function source(name: string): string {
  const found = exampleOperations.find((it) => it.name === name)
  if (!found) throw new Error(`There is no example ${name}.`)
  return found.source
}

/** A tree s ─ a ─ c, s ─ b. */
async function family() {
  const world = await World.started()
  await world.session()
  await grow(world.stores, await world.load(), { a: { c: {} }, b: {} })
  return { world, api: new Api(world.harness) }
}

const about = (sessionId: string) => ({ input: { scopeId: 'default', sessionId } })
const cohortOf = async (api: Api) => at(await api.data(COHORT), 'session', 'cohort') as readonly Data[]
const isOf = (sessionId: string) => (entry: Data) => entry['sessionId'] === sessionId

async function removeCohort(api: Api, root: Data | undefined, authorizedCohort: readonly (Data | undefined)[]) {
  const { deleteSessionGenerationCohort } = await api.data(DELETE_COHORT, {
    input: { scopeId: 'default', root, authorizedCohort },
  })
  return deleteSessionGenerationCohort as Data
}

test('A80: deleting answers with all that was deleted, children first; then there is no such session', async () => {
  const { api } = await family()
  expect(await api.data(DELETE, about('a'))).toEqual({
    deleteSession: { __typename: 'DeleteSessionPayload', deletedSessionIds: ['c', 'a'] },
  })
  expect(await api.data(DELETE, about('a'))).toMatchObject({ deleteSession: { __typename: 'NotFoundError' } })
  const { session } = await api.data('{ session(scopeId: "default", sessionId: "s") { descendantCount children { totalCount } } }')
  expect(session).toEqual({ descendantCount: 1, children: { totalCount: 1 } })
})

test('A80: a deletion that cannot be finished is an error that says no more than that, and is finished later', async () => {
  const { world, api } = await family()
  world.tools.onRelease = async () => {
    throw new Error('The secret tools are stuck.')
  }
  await world.prompt('works')
  world.models.last.start().delta('half')
  await world.clock.settle()
  const answer = await api.answer(DELETE, about('s'))
  expect(codesOf(answer)).toEqual(['INTERNAL_SERVER_ERROR'])
  expect(JSON.stringify(answer)).not.toContain('secret')
  expect(await api.data('{ session(scopeId: "default", sessionId: "a") { id } }')).toEqual({ session: null })
  world.tools.onRelease = undefined
  expect(at(await api.data(DELETE, about('c')), 'deleteSession', 'deletedSessionIds')).toEqual(['c', 'a', 'b', 's'])
})

test('A81: the cohort that a session shows deletes it, and is refused with what is missing from it', async () => {
  const { api } = await family()
  const cohort = await cohortOf(api)
  expect(cohort.map(({ sessionId }) => sessionId)).toEqual(['s', 'a', 'c', 'b'])
  const [root] = cohort
  const c = cohort.find(isOf('c'))
  const mismatch = await removeCohort(api, root, cohort.filter((entry) => entry !== c))
  expect(mismatch).toMatchObject({
    __typename: 'CohortMismatchError',
    code: 'COHORT_MISMATCH',
    sessions: [
      {
        sessionId: 'c',
        expected: null,
        actual: { generationId: c?.['generationId'], generationSequence: c?.['generationSequence'] },
      },
    ],
  })
  const payload = { __typename: 'DeleteSessionGenerationCohortPayload' }
  const stale = { ...root, generationSequence: 77 }
  expect(await removeCohort(api, stale, [stale])).toEqual({ ...payload, matched: false })
  expect(await removeCohort(api, root, cohort)).toEqual({ ...payload, matched: true })
  expect(await removeCohort(api, root, cohort)).toEqual({ ...payload, matched: false })
})

test('A81: how many are missing is told, and what is wrong with a cohort is told by the path in the input', async () => {
  const { api } = await family()
  const [root] = await cohortOf(api)
  const counted = `mutation ($input: DeleteSessionGenerationCohortInput!) { deleteSessionGenerationCohort(input: $input) {
    ... on CohortMismatchError { totalMismatches } ... on ValidationError { issues { path } }
  } }`
  const ask = (authorizedCohort: readonly Data[]) =>
    api.data(counted, { input: { scopeId: 'default', root, authorizedCohort } })
  expect(at(await ask([root!]), 'deleteSessionGenerationCohort')).toEqual({ totalMismatches: 3 })
  expect(at(await ask([root!, root!]), 'deleteSessionGenerationCohort', 'issues')).toEqual([
    { path: ['input', 'authorizedCohort', '1', 'sessionId'] },
  ])
})

test('A82: what is being deleted is shown with its group and where it came from, so that a cohort can be made of it', async () => {
  const { world, api } = await family()
  const cohort = await cohortOf(api)
  const sequence = (id: string) => cohort.find(isOf(id))?.['generationSequence']
  await bury(world.stores, await world.load('a'), 'ann')
  expect((await cohortOf(api)).map(({ sessionId }) => sessionId)).toEqual(['s', 'b', 'a', 'c'])
  const nodes = at(await api.data(TOMBSTONES), 'scope', 'tombstones', 'edges') as readonly { readonly node: Data }[]
  const root = { sessionId: 'a', generation: { generationSequence: sequence('a') } }
  const call = { agent: 'worker', parentRunId: 'run', parentToolCallId: 'call' }
  expect(nodes.map(({ node }) => node)).toMatchObject([
    {
      sessionId: 'a',
      generation: { generationSequence: sequence('a') },
      deletedBy: 'ann',
      depth: 0,
      root,
      subagent: { ...call, parentSessionId: 's', parentGeneration: { generationSequence: sequence('s') } },
    },
    {
      sessionId: 'c',
      depth: 1,
      root,
      subagent: { ...call, parentSessionId: 'a', parentGeneration: { generationSequence: sequence('a') } },
    },
  ])
  const dead = cohort.filter((entry) => isOf('a')(entry) || isOf('c')(entry))
  expect(await removeCohort(api, cohort.find(isOf('c')), dead)).toMatchObject({ matched: true })
  expect(at(await api.data(TOMBSTONES), 'scope', 'tombstones', 'edges')).toEqual([])
})

test('A83: subscribers are told who was deleted, by whom, and nothing else; that of the session then ends', async () => {
  const { api } = await family()
  const events = `subscription ($session: ID) { events(scopeId: "default", sessionId: $session) {
    __typename type sessionId generation { generationSequence }
    ... on SessionDeletedEvent { agent depth parentSessionId actor }
  } }`
  const all = await api.watch(events)
  const own = await api.watch(events, { session: 'c' })
  await api.data(DELETE, about('a'))
  const told = { __typename: 'SessionDeletedEvent', type: 'SESSION_DELETED', agent: 'worker', actor: 'tester' }
  const c = { ...told, sessionId: 'c', depth: 2, parentSessionId: 'a' }
  expect(await all.events(2)).toMatchObject([c, { ...told, sessionId: 'a', depth: 1, parentSessionId: 's' }])
  expect(await own.event()).toMatchObject(c)
  expect(await own.next()).toBeUndefined()
  await all.stop()
})

test('A83: a session that is deleted while somebody begins to watch it is not there', async () => {
  const clock = virtualClock()
  const inner = memoryStores({ clock })
  let meanwhile: (() => Promise<unknown>) | undefined
  const bounds: typeof inner.events.bounds = async (scopeKey) => {
    const happens = meanwhile
    meanwhile = undefined
    await happens?.()
    return inner.events.bounds(scopeKey)
  }
  const world = await World.started({ clock, stores: { ...inner, events: { ...inner.events, bounds } } })
  await world.session()
  meanwhile = async () => ok(await world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller))
  const begun = await new Api(world.harness).attempt('subscription { events(scopeId: "default", sessionId: "s") { type } }')
  expect(begun instanceof Feed ? 'it begins' : codesOf(begun)).toEqual(['NOT_FOUND'])
  expect(world.harness.subscriptions.size).toBe(0)
})

test('A84: an inbox is told that what it waits for was cancelled, also when that is erased by then', async () => {
  const { world, api } = await family()
  world.tools.add('write')
  await world.prompt('asks')
  world.models.last.calls('write', { secret: 'x' }).finish('continue')
  await world.clock.settle()
  const inbox = await api.watch('subscription { pendingPermissions(scopeId: "default") { id state decision metadata session { id } } }')
  const [asked] = (await inbox.event()) as unknown as readonly Data[]
  expect(asked).toMatchObject({ state: 'PENDING' })
  await api.data(DELETE, about('s'))
  const cancelled = { id: asked?.['id'], state: 'RESOLVED', decision: 'CANCELLED', metadata: null, session: null }
  expect(await inbox.event()).toEqual([cancelled])
  expect(await api.data('{ scope(id: "default") { pendingPermissions { id } } }')).toEqual({ scope: { pendingPermissions: [] } })
  await inbox.stop()
})

test('A81: cohorts are large, so they cannot be asked of a whole list of sessions', async () => {
  const { world, api } = await family()
  const list = 'query ($first: Int) { scope(id: "default") { sessions(first: $first) { edges { node { cohort { sessionId } } } } } }'
  for (let i = 0; i < 30; i++) await world.session(`another ${i}`)
  expect(await api.codes(list, { first: 20 })).toEqual([])
  expect(new Set(await api.codes(list, { first: 21 }))).toEqual(new Set(['VALIDATION_FAILED']))
})

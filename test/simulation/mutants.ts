import type { SessionKey, WriteId } from '../../src/kernel/ids.ts'
import type { EventTransport } from '../../src/ports/event-transport.ts'
import { failureClassOf, StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit, UnitOfWork } from '../../src/ports/stores/unit-of-work.ts'
import { committing, reading, rewriting } from '../contract/support/saboteur.ts'
import type { Mutant } from './mutant.ts'

type Expected = Commit['sessions'][number]['expected']

const expecting = (expected: (asked: Expected, current: Expected) => Expected) =>
  rewriting(async (commit, { sessions }) => ({
    ...commit,
    sessions: await Promise.all(
      commit.sessions.map(async (write) => {
        const [current] = await sessions.findMany([write.row.key])
        return current ? { ...write, expected: expected(write.expected, current) } : write
      }),
    ),
  }))

type Seen = ReadonlyMap<WriteId, readonly Commit[]>

/** Answers for the outcome of a write by what it has seen, after it has fenced it or not. */
const readingBack = (prepare: 'fences' | 'only reads', isThere: (seen: Seen, writeId: WriteId) => boolean) => {
  const seen = new Map<WriteId, readonly Commit[]>()
  return (stores: Stores): Stores => {
    const remembering = committing((commit) => async (writeId, group) => {
      const committed = await commit(writeId, group)
      seen.set(writeId, group)
      return committed
    })(stores)
    const outcomeOf: UnitOfWork['outcomeOf'] = async (writeId) => {
      if (prepare === 'fences') await stores.unit.outcomeOf(writeId)
      return isThere(seen, writeId) ? 'committed' : 'absent'
    }
    return { ...remembering, unit: { ...remembering.unit, outcomeOf } }
  }
}

const keysOf = (group: readonly Commit[]): readonly SessionKey[] =>
  group.flatMap(({ created, sessions }) => [...created.map(({ key }) => key), ...sessions.map(({ row }) => row.key)])

/** What the row of a session says who wrote it last. */
function isLastOfARow(seen: Seen, writeId: WriteId): boolean {
  const last = new Map<SessionKey, WriteId>()
  for (const [id, group] of seen) for (const key of keysOf(group)) last.set(key, id)
  return [...last.values()].includes(writeId)
}

const nothing = { created: [], sessions: [], rollUps: [], rows: [] }

const eventsAlone = ({ scopeKey, events }: Commit): Commit => ({ ...nothing, scopeKey, events })

const writeIdOf = (() => {
  let ids = 0
  return () => `mutant-${++ids}` as WriteId
})()

/** A group that fails fails for good, for each of its members. */
function withoutNeighbours(): (stores: Stores) => Stores {
  const doomed = new WeakSet<Commit>()
  return committing((commit) => async (writeId, group) => {
    if (group.some((member) => doomed.has(member))) throw new StoreFailure('notCommitted', 'The group had failed.')
    try {
      return await commit(writeId, group)
    } catch (error) {
      if (group.length > 1 && failureClassOf(error) !== 'notCommitted') for (const member of group) doomed.add(member)
      throw error
    }
  })
}

/** Swallows what follows a change after which prompts wait: the duty that the change left is forgotten. */
const forgetfulTransport = (transport: EventTransport): EventTransport => ({
  listen: (listener) => transport.listen(listener),
  publish: (signal) => {
    if (signal.type === 'activity' && signal.activity.kind === 'QUEUED') throw new Error('The duty is forgotten.')
    transport.publish(signal)
  },
})

const RETRY_MS = 500

/** Each is to be noticed by the simulation within the seeds of a usual test run. Made anew for each world. */
export const mutants: readonly (() => Mutant)[] = [
  () => ({
    crime: 'compares no revisions',
    stores: expecting((asked, { revision }) => ({ ...asked, revision })),
  }),
  () => ({
    crime: 'sets without comparing anything',
    stores: expecting((asked, { epoch, revision }) => ({ ...asked, epoch, revision })),
  }),
  () => ({
    crime: 'compares no epochs',
    stores: expecting((asked, { epoch }) => ({ ...asked, epoch })),
  }),
  () => ({
    crime: 'lets a writer through whose epoch is over',
    stores: expecting((asked, { epoch, revision }) => (asked.epoch === epoch ? asked : { ...asked, epoch, revision })),
  }),
  () => ({
    crime: 'reads an uncertain commit back without fencing it',
    stores: readingBack('only reads', (seen, writeId) => seen.has(writeId)),
  }),
  () => ({
    crime: 'looks for an uncertain commit at the row that it has changed, which others may have changed since',
    stores: readingBack('fences', isLastOfARow),
  }),
  () => ({
    crime: 'takes an uncertain commit for lost',
    stores: reading('unit', () => ({ outcomeOf: async () => 'absent' })),
  }),
  () => ({
    crime: 'takes an uncertain commit for done',
    stores: reading('unit', () => ({ outcomeOf: async () => 'committed' })),
  }),
  () => {
    let commits = 0
    return {
      crime: 'loses events that it writes after their commit',
      stores: committing((commit) => async (writeId, group) => {
        const committed = await commit(writeId, group.map((member) => ({ ...member, events: [] })))
        if (++commits % 10 !== 0) await commit(writeIdOf(), group.map(eventsAlone))
        return committed
      }),
    }
  },
  () => ({
    crime: 'keeps the events of a commit that fails',
    stores: committing((commit) => async (writeId, group) => {
      try {
        return await commit(writeId, group)
      } catch (error) {
        await commit(writeIdOf(), group.map(eventsAlone))
        throw error
      }
    }),
  }),
  () => ({ crime: 'forgets after a change that prompts wait', transport: forgetfulTransport }),
  () => ({
    crime: 'forgets to try an admission again that has failed',
    world: 'text',
    clock: (clock) => ({
      ...clock,
      after: (ms, callback) => (ms === RETRY_MS ? () => undefined : clock.after(ms, callback)),
    }),
  }),
  () => ({
    crime: 'forgets the queued prompts that a stopped process has left',
    world: 'text',
    stores: reading('sessions', (sessions) => ({
      unsettled: async (after, limit) =>
        (await sessions.unsettled(after, limit)).filter(({ work }) => work.kind === 'running'),
    })),
  }),
  () => ({ crime: 'fails the neighbours of a commit that conflicts', world: 'text', seen: withoutNeighbours() }),
]

import type { Member, StructureChange } from '../../../src/domain/deletion/tombstone.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { readGroup } from '../../../src/runtime/deletion/read-structure.ts'
import { newWriteId } from './world.ts'
import { committing, reading, rewriting, type Saboteur } from './saboteur.ts'

type Reserve = Extract<StructureChange, { kind: 'reserve' }>
type Finish = Extract<StructureChange, { kind: 'finish' }>

const reservations = (change: (reserve: Reserve) => StructureChange | undefined) =>
  rewriting((commit) => (commit.structure?.kind === 'reserve' ? withStructure(commit, change(commit.structure)) : commit))

function withStructure({ structure: _structure, ...commit }: Commit, structure: StructureChange | undefined): Commit {
  return structure ? { ...commit, structure } : commit
}

/** Takes what there is now for what was expected, as soon as that is something else. */
const blind = committing((commit, { structure, sessions }) => async (writeId, group) => {
  try {
    return await commit(writeId, group)
  } catch (error) {
    const [only] = group
    if (only?.structure?.kind !== 'reserve') throw error
    const alive = new Set((await sessions.findMany(only.structure.members.map(({ key }) => key))).map(({ key }) => key))
    const top = await structure.top(only.structure.top.key)
    const members = only.structure.members.filter(({ key }) => alive.has(key))
    if (!top) throw error
    return commit(newWriteId(), [{ ...only, structure: { ...only.structure, top, members } }])
  }
})

const wholeGroup = rewriting(async (commit, { structure }) => {
  if (commit.structure?.kind !== 'finish') return commit
  const members: readonly Member[] = await readGroup(structure, commit.structure.group)
  return { ...commit, structure: { ...commit.structure, members } satisfies Finish }
})

/** Break the laws of the structure. */
export const structureSaboteurs: readonly Saboteur[] = [
  { law: 'C60', crime: 'reserves the top of a subtree alone', sabotage: reservations((one) => ({ ...one, members: one.members.slice(0, 1) })) },
  { law: 'C60', crime: 'reserves nothing', sabotage: reservations(() => undefined) },
  {
    law: 'C60',
    crime: 'forgets where a child came from',
    sabotage: reading('structure', (structure) => ({
      group: async (query) => (await structure.group(query)).map((row) => ({ ...row, provenance: null })),
    })),
  },
  {
    law: 'C60',
    crime: 'lets go of what others hold',
    sabotage: reading('structure', (structure) => ({
      letGo: async (owner, keys) => {
        for (const each of [owner, 'p', 'q']) await structure.letGo(each, keys)
      },
    })),
  },
  { law: 'C61', crime: 'does not compare what was known below the top', sabotage: blind },
  {
    law: 'C62',
    crime: 'forgets who the parent of a child is',
    sabotage: rewriting((commit) => ({
      ...commit,
      created: commit.created.map((session) => ({
        ...session,
        place: { ...session.place, parentKey: null, parentPath: '' },
      })),
    })),
  },
  {
    law: 'C63',
    crime: 'finishes who is in the way of a new session',
    sabotage: committing((commit, { structure }) => async (writeId, group) => {
      for (const { scopeKey, created } of group) {
        for (const { sessionId } of created) {
          const slot = await structure.slot(scopeKey, sessionId)
          if (slot.kind !== 'tombstoned') continue
          const members = await readGroup(structure, slot.group)
          const finish = { kind: 'finish', group: slot.group, members } as const
          const nothing = { scopeKey, created: [], sessions: [], rollUps: [], rows: [], events: [] }
          await commit(`${writeId} and before` as typeof writeId, [{ ...nothing, structure: finish }])
        }
      }
      return commit(writeId, group)
    }),
  },
  { law: 'C64', crime: 'finishes a group of which it knows a part', sabotage: wholeGroup },
  {
    law: 'C64',
    crime: 'reports the sessions of a group in another order',
    sabotage: rewriting((commit) => (commit.structure ? { ...commit, events: commit.events.toReversed() } : commit)),
  },
  {
    law: 'C65',
    crime: 'counts a revision for each session of a group',
    sabotage: committing((commit) => async (writeId, group) => {
      const done = await commit(writeId, group)
      const more = group[0]?.structure?.members.length ?? 1
      return done.map((one) => ({ ...one, firstRevision: one.firstRevision + more - 1 }))
    }),
  },
  {
    law: 'C65',
    crime: 'keeps counting the descendants that were reserved',
    sabotage: rewriting((commit) => (commit.structure ? { ...commit, rollUps: [] } : commit)),
  },
  {
    law: 'C66',
    crime: 'lists the members of a subtree without its top',
    sabotage: reading('structure', (structure) => ({
      members: async (query) => (await structure.members(query)).filter(({ path }) => path !== query.path),
    })),
  },
  {
    law: 'C66',
    crime: 'lists every tombstone as the top of a group',
    sabotage: reading('structure', (structure) => ({
      groups: async ({ scopeKey, ...query }) =>
        scopeKey === undefined ? structure.groups(query) : structure.tombstones({ scopeKey, limit: query.limit }),
    })),
  },
  {
    law: 'C68',
    crime: 'shows requests that nobody can answer',
    sabotage: reading('permissions', (_, { permissions, structure }) => ({
      inbox: async (scopeKey, after, limit) => {
        const dead = await structure.tombstones({ scopeKey, limit })
        return [...(await permissions.inbox(scopeKey, after, limit)), ...(await permissions.pending(dead.map(({ key }) => key)))]
      },
    })),
  },
  { law: 'C67', crime: 'does not compare what was known below the top', sabotage: blind },
]

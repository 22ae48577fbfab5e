import type { Entry } from '../../../src/domain/prompt/entry.ts'
import { committing, reading, type Saboteur } from './saboteur.ts'
import { newWriteId } from './world.ts'

const forgetful = (entry: Entry): Entry => ({ ...entry, delegation: null })

/** Break the laws of delegation. */
export const delegationSaboteurs: readonly Saboteur[] = [
  {
    law: 'C100',
    crime: 'creates sessions before it looks at those that change with them',
    sabotage: committing((commit) => async (writeId, group) => {
      for (const { scopeKey, created } of group.filter(({ created: made, sessions }) => made.length > 0 && sessions.length > 0)) {
        await commit(newWriteId(), [{ scopeKey, created, sessions: [], rollUps: [], rows: [], events: [] }])
      }
      return commit(writeId, group.map((member) => (member.sessions.length > 0 ? { ...member, created: [] } : member)))
    }),
  },
  {
    law: 'C101',
    crime: 'forgets which call a prompt is for',
    sabotage: reading('queue', (queue) => ({
      findMany: async (ids) => (await queue.findMany(ids)).map(forgetful),
    })),
  },
]

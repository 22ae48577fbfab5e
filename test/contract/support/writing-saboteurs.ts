import type { MessageId, ScopeKey, WriteId } from '../../../src/kernel/ids.ts'
import { storable } from '../../../src/kernel/text.ts'
import type { Message } from '../../../src/domain/message/message.ts'
import type { RowWrite, SessionWrite } from '../../../src/domain/session/writes.ts'
import type { StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Commit, UnitOfWork } from '../../../src/ports/stores/unit-of-work.ts'
import { committing, reading, rewriting, type Saboteur } from './saboteur.ts'
import { newWriteId } from './world.ts'

const expecting = (expected: (write: SessionWrite, current: StoredSession) => SessionWrite['expected']) =>
  rewriting(async (commit, { sessions }) => ({
    ...commit,
    sessions: await Promise.all(
      commit.sessions.map(async (write) => {
        const [current] = await sessions.findMany([write.row.key])
        return current ? { ...write, expected: expected(write, current) } : write
      }),
    ),
  }))

function mapped(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapped(item, change))
  if (typeof value !== 'object' || value === null) return change(value)
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, mapped(field, change)]))
}

const rowsMapped = (change: (leaf: unknown) => unknown) =>
  rewriting((commit) => ({ ...commit, rows: mapped(commit.rows, change) as Commit['rows'] }))

type RowOf<Table> = Extract<RowWrite, { readonly table: Table }>['row']

/** Changes every row of a table on its way in. */
const rowsOf = <Table extends 'entry' | 'run' | 'message'>(table: Table, change: (row: RowOf<Table>) => RowOf<Table>) =>
  rewriting((commit) => ({
    ...commit,
    rows: commit.rows.map((write) =>
      write.table === table ? ({ ...write, row: change(write.row as RowOf<Table>) } as RowWrite) : write,
    ),
  }))

/** Break the laws of commits and of values. */
export const writingSaboteurs: readonly Saboteur[] = [
  {
    law: 'C1',
    crime: 'commits the members of a group one by one',
    sabotage: committing((commit) => async (_, group) => {
      const done = []
      for (const member of group) done.push(...(await commit(newWriteId(), [member])))
      return done
    }),
  },
  {
    law: 'C1',
    crime: 'writes events outside the transaction',
    sabotage: committing((commit) => async (writeId, group) => {
      try {
        return await commit(writeId, group)
      } catch (error) {
        for (const { scopeKey, events } of group) {
          await commit(newWriteId(), [{ scopeKey, created: [], sessions: [], rollUps: [], rows: [], events }])
        }
        throw error
      }
    }),
  },
  {
    law: 'C1',
    crime: 'passes over rows that exist already',
    sabotage: rewriting(async (commit, { log }) => {
      const fresh = await Promise.all(
        commit.rows.map(async (write) => {
          if (write.table !== 'log') return true
          const [there] = await log.read(write.row.sessionKey, write.row.index, 1)
          return there?.index !== write.row.index
        }),
      )
      return { ...commit, rows: commit.rows.filter((_, i) => fresh[i]) }
    }),
  },
  {
    law: 'C2',
    crime: 'does not compare revisions',
    sabotage: expecting(({ expected }, { revision }) => ({ ...expected, revision })),
  },
  {
    law: 'C3',
    crime: 'does not check the epoch',
    sabotage: expecting(({ expected }, { epoch }) => ({ ...expected, epoch })),
  },
  {
    law: 'C4',
    crime: 'takes the id of a session that lives away from it',
    sabotage: rewriting(async (commit, { sessions }) => {
      for (const { scopeKey, sessionId } of commit.created) {
        const taken = await sessions.find(scopeKey, sessionId)
        if (taken) await sessions.purge([taken.key], 1)
      }
      return commit
    }),
  },
  {
    law: 'C5',
    crime: 'leaves gaps between sequences',
    sabotage: (stores) => ({
      ...stores,
      unit: {
        ...stores.unit,
        commit: async (writeId, group) =>
          (await stores.unit.commit(writeId, group)).map((done) => ({
            ...done,
            firstSequence: 2 * done.firstSequence - 1,
          })),
      },
      events: {
        ...stores.events,
        bounds: async (scopeKey) => {
          const { head, floor } = await stores.events.bounds(scopeKey)
          return { head: 2 * head, floor: 2 * floor }
        },
        read: async (query) => {
          const page = await stores.events.read({ ...query, after: Math.floor(query.after / 2) })
          const events = page.events.map((event) => ({ ...event, sequence: 2 * event.sequence - 1 }))
          return { events, scannedTo: 2 * page.scannedTo }
        },
      },
    }),
  },
  {
    law: 'C5',
    crime: 'numbers a group from its end',
    sabotage: committing(
      (commit) => async (writeId, group) => (await commit(writeId, group.toReversed())).toReversed(),
    ),
  },
  {
    law: 'C6',
    crime: 'numbers the sessions of a commit in another order',
    sabotage: rewriting((commit) => ({ ...commit, created: commit.created.toReversed() })),
  },
  {
    law: 'C7',
    crime: 'loses all roll-ups of a commit but the last',
    sabotage: rewriting((commit) => ({ ...commit, rollUps: commit.rollUps.slice(-1) })),
  },
  {
    law: 'C7',
    crime: 'rolls up by path in every scope',
    sabotage: (stores) => {
      const scopes = new Set<ScopeKey>()
      return rewriting((commit) => {
        scopes.add(commit.scopeKey)
        const rollUps = commit.rollUps.flatMap((rollUp) => [...scopes].map((scopeKey) => ({ ...rollUp, scopeKey })))
        return { ...commit, rollUps }
      })(stores)
    },
  },
  {
    law: 'C8',
    crime: 'reads back "committed" for everything',
    sabotage: reading('unit', () => ({ outcomeOf: async () => 'committed' })),
  },
  {
    law: 'C8',
    crime: 'reads the outcome back without a fence',
    sabotage: (stores) => {
      const done = new Set<WriteId>()
      const remembering = committing((commit) => async (writeId, group) => {
        const answer = await commit(writeId, group)
        done.add(writeId)
        return answer
      })(stores)
      const outcomeOf: UnitOfWork['outcomeOf'] = async (writeId) => (done.has(writeId) ? 'committed' : 'absent')
      return { ...remembering, unit: { ...remembering.unit, outcomeOf } }
    },
  },
  {
    law: 'C9',
    crime: 'does not update runs',
    sabotage: rewriting((commit) => ({
      ...commit,
      rows: commit.rows.filter(({ table, op }) => table !== 'run' || op === 'insert'),
    })),
  },
  {
    law: 'C9',
    crime: 'keeps the text of a part only once it is complete',
    sabotage: rewriting((commit) => ({
      ...commit,
      rows: commit.rows.filter(({ table, op }) => table !== 'chunk' || op === 'fold'),
    })),
  },
  {
    law: 'C9',
    crime: 'forgets which attempt of a run it is',
    sabotage: rowsOf('run', (row) => ({ ...row, attempts: 1 })),
  },
  {
    law: 'C20',
    crime: 'forgets how long a run has worked',
    sabotage: rowsOf('run', (row) => ({ ...row, workedMs: 0 })),
  },
  {
    law: 'C20',
    crime: 'forgets what a run may use',
    sabotage: rowsOf('run', (row) => ({ ...row, budget: null })),
  },
  {
    law: 'C19',
    crime: 'forgets what a prompt may use',
    sabotage: rowsOf('entry', (row) => ({ ...row, budget: null })),
  },
  {
    law: 'C20',
    crime: 'keeps the process that began a run for the one that goes on with it',
    sabotage: (stores) => {
      const owners = new Map<string, string>()
      return rowsOf('run', (row) => {
        const owner = owners.get(row.runId) ?? row.owner
        owners.set(row.runId, owner)
        return { ...row, owner }
      })(stores)
    },
  },
  {
    law: 'C20',
    crime: 'forgets where the step of a run began',
    sabotage: rowsOf('run', (row) => ({ ...row, stepFrom: 0 })),
  },
  {
    law: 'C20',
    crime: 'keeps the last of the ranges that a run has superseded',
    sabotage: rowsOf('run', (row) => ({ ...row, superseded: row.superseded.slice(-1) })),
  },
  {
    law: 'C21',
    crime: 'shows what was superseded when a message was made',
    sabotage: (stores) => {
      const made = new Map<MessageId, Message['superseded']>()
      return rowsOf('message', (row) => {
        const superseded = made.get(row.messageId) ?? row.superseded
        made.set(row.messageId, superseded)
        return { ...row, superseded }
      })(stores)
    },
  },
  {
    law: 'C6',
    crime: 'does not know whose a session is',
    sabotage: rewriting((commit) => ({
      ...commit,
      sessions: commit.sessions.map((write) => ({ ...write, row: { ...write.row, owner: null } })),
    })),
  },
  {
    law: 'C10',
    crime: 'replaces what its text columns cannot hold',
    sabotage: rowsMapped((leaf) => (typeof leaf === 'string' ? storable(leaf) : leaf)),
  },
  {
    law: 'C11',
    crime: 'keeps numbers in single precision',
    sabotage: rowsMapped((leaf) => (typeof leaf === 'number' ? Math.fround(leaf) : leaf)),
  },
  {
    law: 'C12',
    crime: 'hands out its own rows',
    sabotage: reading('queue', (queue) => {
      const cache = new Map<string, unknown>()
      return {
        prompt: async (session, ordinal) => {
          const key = `${session} ${ordinal}`
          if (!cache.has(key)) cache.set(key, structuredClone(await queue.prompt(session, ordinal)))
          return cache.get(key) as Awaited<ReturnType<typeof queue.prompt>>
        },
      }
    }),
  },
]

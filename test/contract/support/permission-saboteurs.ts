import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { reading, rewriting, type Saboteur } from './saboteur.ts'

type Row = Commit['rows'][number]

const withoutRows = (dropped: (row: Row) => boolean) =>
  rewriting((commit) => ({ ...commit, rows: commit.rows.filter((row) => !dropped(row)) }))

/** As a collation of a natural language has it: by letters first, whatever their case. */
const byLetters = new Intl.Collator('en').compare

/** Break the laws of permissions and of uncertain executions. */
export const permissionSaboteurs: readonly Saboteur[] = [
  {
    law: 'C9',
    crime: 'does not update requests for permission',
    sabotage: withoutRows(({ table, op }) => table === 'permission' && op === 'update'),
  },
  {
    law: 'C9',
    crime: 'forgets grants',
    sabotage: withoutRows(({ table, op }) => table === 'grant' && op === 'insert'),
  },
  {
    law: 'C9',
    crime: 'keeps a tool call as it was opened',
    sabotage: withoutRows(({ table, op, row }) => table === 'part' && op === 'update' && 'body' in row && row.body.kind === 'tool'),
  },
  {
    law: 'C12',
    crime: 'hands out its own grants',
    sabotage: reading('permissions', (permissions) => {
      const cache = new Map<string, Awaited<ReturnType<typeof permissions.grants>>>()
      return {
        grants: async (sessions) => {
          const key = sessions.join(' ')
          const grants = cache.get(key) ?? structuredClone(await permissions.grants(sessions))
          cache.set(key, grants)
          return grants
        },
      }
    }),
  },
  {
    law: 'C7',
    crime: 'counts a request for permission as a descendant',
    sabotage: rewriting((commit) => {
      const asked = commit.rows.some(({ table }) => table === 'permission') ? 1 : 0
      return { ...commit, rollUps: commit.rollUps.map((gain) => ({ ...gain, descendants: gain.descendants + asked })) }
    }),
  },
  {
    law: 'C21',
    crime: 'takes the call that a part shows for text that streams',
    sabotage: reading('messages', (messages) => ({
      parts: async (keys) =>
        (await messages.parts(keys)).map((part) =>
          part.body.kind === 'tool' && part.status === 'RUNNING' ? { ...part, body: { kind: 'text', text: '' } } : part,
        ),
    })),
  },
  {
    law: 'C26',
    crime: 'purges requests for permission, but no grants',
    sabotage: (stores) => {
      const grants = new Map<string, Row>()
      const remembering = rewriting((commit) => {
        for (const row of commit.rows) {
          if (row.table === 'grant') grants.set(`${row.row.sessionKey} ${row.row.rememberKey}`, row)
        }
        return commit
      })(stores)
      const left = reading('permissions', () => ({
        grants: async (sessions) =>
          [...grants.values()].flatMap(({ table, row }) => (table === 'grant' && sessions.includes(row.sessionKey) ? [row] : [])),
      }))
      return left(remembering)
    },
  },
  {
    law: 'C26',
    crime: 'keeps uncertain executions of purged sessions',
    sabotage: reading('executions', () => ({ purge: async () => 0 })),
  },
  {
    law: 'C27',
    crime: 'asks for the pending requests of no more than a statement of sessions',
    sabotage: reading('permissions', (permissions) => ({
      pending: (sessions) => permissions.pending(sessions.slice(0, 2000)),
    })),
  },
  {
    law: 'C28',
    crime: 'lists requests that were answered among those that wait',
    sabotage: reading('permissions', (permissions) => ({
      pending: async (sessions) => (await permissions.latest(sessions, 1000)).toReversed(),
    })),
  },
  {
    law: 'C28',
    crime: 'orders the inbox by a collation',
    sabotage: reading('permissions', (permissions) => ({
      inbox: async (scopeKey, after, limit) => {
        const order = (a: Aged, b: Aged) => a.createdAt - b.createdAt || byLetters(a.permissionId, b.permissionId)
        const all = (await permissions.inbox(scopeKey, undefined, 1000)).toSorted(order)
        return all.filter((permission) => !after || order(permission, after) > 0).slice(0, limit)
      },
    })),
  },
  {
    law: 'C28',
    crime: 'goes on in the inbox after a time alone',
    sabotage: reading('permissions', (permissions) => ({
      inbox: async (scopeKey, after, limit) => {
        const all = await permissions.inbox(scopeKey, undefined, 1000)
        return all.filter(({ createdAt }) => !after || createdAt > after.createdAt).slice(0, limit)
      },
    })),
  },
  {
    law: 'C28',
    crime: 'shows the inboxes of all scopes',
    sabotage: (stores) => {
      const scopes = new Set<Permission['scopeKey']>()
      const remembering = rewriting((commit) => {
        scopes.add(commit.scopeKey)
        return commit
      })(stores)
      const shared = reading('permissions', (permissions) => ({
        inbox: async (_, after, limit) => {
          const all = await Promise.all([...scopes].map((scopeKey) => permissions.inbox(scopeKey, after, limit)))
          return all.flat().slice(0, limit)
        },
      }))
      return shared(remembering)
    },
  },
  {
    law: 'C28',
    crime: 'shares the limit between the sessions',
    sabotage: reading('permissions', (permissions) => ({
      latest: async (sessions, limit) => (await permissions.latest(sessions, limit)).slice(0, limit),
    })),
  },
  {
    law: 'C28',
    crime: 'finds the requests of one run only',
    sabotage: reading('permissions', (permissions) => ({ ofRuns: (runs) => permissions.ofRuns(runs.slice(0, 1)) })),
  },
  {
    law: 'C29',
    crime: 'revokes all grants of a session with one',
    sabotage: rewriting(async (commit, { permissions }) => {
      const revoking = commit.rows.flatMap((row) => (row.table === 'grant' && row.op === 'delete' ? [row.row] : []))
      const all = await permissions.grants(revoking.map(({ sessionKey }) => sessionKey))
      const deletes = all.map((row) => ({ table: 'grant', op: 'delete', row }) as const)
      return { ...commit, rows: [...deletes, ...commit.rows] }
    }),
  },
  {
    law: 'C29',
    crime: 'inserts before it deletes',
    sabotage: rewriting((commit) => ({
      ...commit,
      rows: commit.rows.toSorted((a, b) => Number(a.op === 'delete') - Number(b.op === 'delete')),
    })),
  },
  {
    law: 'C29',
    crime: 'orders grants by a collation',
    sabotage: reading('permissions', (permissions) => ({
      grants: async (sessions) =>
        (await permissions.grants(sessions)).toSorted(
          (a, b) => a.createdAt - b.createdAt || byLetters(a.rememberKey, b.rememberKey),
        ),
    })),
  },
  {
    law: 'C38',
    crime: 'lists the newest executions',
    sabotage: reading('executions', (executions) => ({
      uncertain: async (sessions, limit) => {
        const all = await Promise.all(sessions.map((session) => executions.uncertain([session], 1000)))
        return all.flatMap((page) => page.slice(-limit))
      },
    })),
  },
  {
    law: 'C38',
    crime: 'goes on listing what was reconciled',
    sabotage: withoutRows(({ table, op }) => table === 'execution' && op === 'update'),
  },
]

type Aged = Pick<Permission, 'createdAt' | 'permissionId'>

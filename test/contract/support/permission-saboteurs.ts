import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { reading, rewriting, type Saboteur } from './saboteur.ts'

type Row = Commit['rows'][number]

const withoutRows = (dropped: (row: Row) => boolean) =>
  rewriting((commit) => ({ ...commit, rows: commit.rows.filter((row) => !dropped(row)) }))

const isRevoking = (row: Row): row is Extract<Row, { table: 'grant' }> => row.table === 'grant' && row.op === 'delete'

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
    law: 'C12',
    crime: 'keeps the requests for permission that it was given',
    sabotage: (stores) => {
      const given: Permission[] = []
      const remembering = rewriting((commit) => {
        given.push(...commit.rows.flatMap((row) => (row.table === 'permission' ? [row.row] : [])))
        return commit
      })(stores)
      return reading('permissions', () => ({
        latest: async (sessions) => given.filter(({ sessionKey }) => sessions.includes(sessionKey)),
      }))(remembering)
    },
  },
  {
    law: 'C27',
    crime: 'finds the pending requests of a session as often as they are asked for',
    sabotage: reading('permissions', (permissions) => ({
      pending: async (sessions) => (await Promise.all(sessions.map((key) => permissions.pending([key])))).flat(),
    })),
  },
  {
    law: 'C27',
    crime: 'deletes no more grants than a statement takes',
    sabotage: rewriting((commit) => {
      const revoking = commit.rows.filter(isRevoking)
      return { ...commit, rows: [...commit.rows.filter((row) => !isRevoking(row)), ...revoking.slice(0, 2000)] }
    }),
  },
  {
    law: 'C27',
    crime: 'purges no executions when there are many sessions',
    sabotage: reading('executions', (executions) => ({
      purge: (sessions, limit) => executions.purge(sessions.slice(0, 2000), limit),
    })),
  },
  {
    law: 'C28',
    crime: 'loses what was said with an answer',
    sabotage: rewriting((commit) => ({
      ...commit,
      rows: commit.rows.map((row) =>
        row.table === 'permission' && row.row.state.kind === 'resolved'
          ? { ...row, row: { ...row.row, state: { ...row.row.state, message: null } } }
          : row,
      ),
    })),
  },
  {
    law: 'C28',
    crime: 'passes over requests that were asked before',
    sabotage: rewriting(async (commit, { permissions }) => {
      const ids = commit.rows.flatMap((row) => (row.table === 'permission' ? [row.row.permissionId] : []))
      const known = new Set((await permissions.findMany(ids)).map(({ permissionId }) => permissionId))
      const isAgain = (row: Row) => row.table === 'permission' && row.op === 'insert' && known.has(row.row.permissionId)
      return { ...commit, rows: commit.rows.filter((row) => !isAgain(row)) }
    }),
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
      const all = await permissions.grants(commit.rows.filter(isRevoking).map(({ row }) => row.sessionKey))
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
    crime: 'keeps that an execution succeeded, but not with what',
    sabotage: rewriting((commit) => ({
      ...commit,
      rows: commit.rows.map((row) => (row.table === 'execution' ? { ...row, row: withoutOutput(row.row) } : row)),
    })),
  },
  {
    law: 'C38',
    crime: 'passes over executions that are listed',
    sabotage: rewriting(async (commit, { executions }) => {
      const ids = commit.rows.flatMap((row) => (row.table === 'execution' ? [row.row.intentId] : []))
      const known = new Set((await executions.findMany(ids)).map(({ intentId }) => intentId))
      const isAgain = (row: Row) => row.table === 'execution' && row.op === 'insert' && known.has(row.row.intentId)
      return { ...commit, rows: commit.rows.filter((row) => !isAgain(row)) }
    }),
  },
  {
    law: 'C38',
    crime: 'goes on listing what was reconciled',
    sabotage: withoutRows(({ table, op }) => table === 'execution' && op === 'update'),
  },
]

function withoutOutput(execution: UncertainExecution): UncertainExecution {
  const { state } = execution
  return state.kind === 'reconciled' && state.found.outcome === 'SUCCEEDED'
    ? { ...execution, state: { ...state, found: { ...state.found, output: null } } }
    : execution
}

type Aged = Pick<Permission, 'createdAt' | 'permissionId'>

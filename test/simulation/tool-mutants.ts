import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { RowWrite } from '../../src/domain/session/writes.ts'
import type { EventBody } from '../../src/domain/event/event.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Tool, ToolProvider } from '../../src/ports/tools.ts'
import { committing, reading, rewriting } from '../contract/support/saboteur.ts'
import type { Mutant } from './mutant.ts'

/** Takes it that a commit is durable as soon as it was sent, if it has a row like that. */
const hasty = (isMeant: (row: RowWrite) => boolean) =>
  committing((commit) => async (writeId, group) => {
    const committed = commit(writeId, group)
    if (!group.some(({ rows }) => rows.some(isMeant))) return committed
    void committed.catch(() => undefined)
    return group.map(() => ({ firstSequence: 1, firstRevision: 1 }))
  })

interface Without {
  readonly row: (row: RowWrite) => boolean
  readonly event?: (body: EventBody) => boolean
}

/** Leaves rows and events out of commits. */
const without = ({ row: isRow, event: isEvent = () => false }: Without) =>
  rewriting((commit) => ({
    ...commit,
    rows: commit.rows.filter((row) => !isRow(row)),
    events: commit.events.filter(({ body }) => !isEvent(body)),
  }))

const isResumption = ({ sessions, rows }: Commit): boolean =>
  rows.some(({ table, op, row }) => table === 'run' && op === 'update' && row.epoch > (sessions[0]?.expected.epoch ?? Infinity))

/** Changes what resumptions write. */
const resuming = (rewrite: (commit: Commit) => Commit) =>
  rewriting((commit) => (isResumption(commit) ? rewrite(commit) : commit))

const runs = (change: (row: Extract<RowWrite, { table: 'run' }>['row']) => object) => (commit: Commit): Commit => ({
  ...commit,
  rows: commit.rows.map((write) => (write.table === 'run' ? { ...write, row: { ...write.row, ...change(write.row) } } : write)),
})

const isCancelled = ({ state }: Permission): boolean => state.kind === 'resolved' && state.decision === 'CANCELLED'

const asUncertain = (execution: UncertainExecution): UncertainExecution => ({ ...execution, state: { kind: 'uncertain' } })

const asPending = (permission: Permission): Permission => ({ ...permission, state: { kind: 'pending' } })

const withTools =
  (change: (tool: Tool) => Tool) =>
  (provider: ToolProvider): ToolProvider => ({
    async provide(request) {
      const handle = await provider.provide(request)
      return { ...handle, tools: handle.tools.map((tool) => ({ ...tool, ...change(tool) })) }
    },
  })

/** Replaces verbs of the store in which processes say that they are alive. */
const ofInstances = (wrap: (instances: NonNullable<Stores['instances']>, stores: Stores) => Partial<NonNullable<Stores['instances']>>) =>
  (stores: Stores): Stores => {
    const { instances } = stores
    return instances ? { ...stores, instances: { ...instances, ...wrap(instances, stores) } } : stores
  }

/** The same for harnesses that call tools, ask people, go on after a crash and share stores. */
export const toolMutants: readonly (() => Mutant)[] = [
  () => ({
    crime: 'executes a call while its intent is still on its way',
    world: 'alone',
    seen: hasty((write) => write.table === 'log' && write.row.body.kind === 'intent'),
  }),
  () => ({
    crime: 'hands an answer out before it is durable',
    world: 'alone',
    seen: hasty((write) => write.table === 'permission' && write.op === 'update' && !isCancelled(write.row)),
  }),
  () => ({
    crime: 'takes a reconciliation for done before it is durable',
    world: 'alone',
    seen: hasty((write) => write.table === 'execution' && write.op === 'update'),
  }),
  () => ({
    crime: 'executes again after a restart whatever had begun',
    world: 'alone',
    tools: withTools((tool) => ({ ...tool, idempotent: true })),
  }),
  () => ({
    crime: 'takes at a restart calls that have ended for calls that have begun',
    world: 'alone',
    seen: reading('messages', (messages) => ({
      parts: async (keys) =>
        (await messages.parts(keys)).map((part) =>
          part.body.kind === 'tool' && part.status === 'COMPLETED' ? { ...part, status: 'RUNNING', finishedAt: null } : part,
        ),
    })),
  }),
  () => ({
    crime: 'forgets to cancel the requests of a run that stops',
    world: 'alone',
    seen: without({
      row: (write) => write.table === 'permission' && write.op === 'update' && isCancelled(write.row),
      event: (body) => body.type === 'permission.resolved' && body.permission.state.kind === 'resolved' && body.permission.state.decision === 'CANCELLED',
    }),
  }),
  () => ({
    crime: 'forgets to list calls that may have happened',
    world: 'alone',
    seen: without({
      row: ({ table, op }) => table === 'execution' && op === 'insert',
      event: ({ type }) => type === 'tool.uncertain',
    }),
  }),
  () => ({
    crime: 'reconciles an execution and leaves its call as it is',
    world: 'alone',
    seen: rewriting((commit) =>
      commit.rows.some(({ table, op }) => table === 'execution' && op === 'update')
        ? { ...commit, rows: commit.rows.filter(({ table }) => table !== 'part') }
        : commit,
    ),
  }),
  () => ({
    crime: 'does not see what was reconciled in another process',
    world: 'shared',
    seen: reading('executions', (executions) => ({
      findMany: async (ids) => (await executions.findMany(ids)).map(asUncertain),
    })),
  }),
  () => ({
    crime: 'does not see what was answered in another process, or before it was started',
    world: 'shared',
    seen: reading('permissions', (permissions) => ({
      findMany: async (ids) => (await permissions.findMany(ids)).map(asPending),
    })),
  }),
  () => ({
    crime: 'takes a run over without a new epoch',
    world: 'shared',
    seen: resuming((commit) => {
      const epoch = commit.sessions[0]?.expected.epoch ?? 0
      return {
        ...runs(() => ({ epoch }))(commit),
        sessions: commit.sessions.map((write) => ({ ...write, row: { ...write.row, epoch } })),
      }
    }),
  }),
  () => ({
    crime: 'begins to count the attempts of a run anew',
    world: 'alone',
    seen: resuming(runs(() => ({ attempts: 1 }))),
  }),
  () => ({
    crime: 'takes runs over from processes that are alive',
    world: 'shared',
    stores: ofInstances((_, { sessions }) => ({
      abandoned: async ({ after, limit }) =>
        (await sessions.unsettled(after, limit)).map(({ key, revision, work }) => ({ key, revision, hasRun: work.kind === 'running' })),
    })),
  }),
  () => ({
    crime: 'takes nothing over',
    world: 'shared',
    stores: ofInstances(() => ({ abandoned: async () => [] })),
  }),
  () => ({
    crime: 'does not look for what other processes have changed',
    world: 'shared',
    seen: ofInstances(() => ({
      versions: async () => {
        throw new Error('Not now.')
      },
    })),
  }),
]

import { isLive } from '../../../domain/run/run.ts'
import { builder } from '../../builder.ts'
import { countedConnectionType } from '../../connection.ts'
import { connectionView } from '../../connection-view.ts'
import { cursorsOf, integer, scopeMark } from '../../cursor.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { pageRequest } from '../../page-request.ts'
import { Run, Session } from '../../refs.ts'
import { runView, type SessionView } from '../../views.ts'

const RunConnection = countedConnectionType(Run, { name: 'Run', description: 'A page of runs.' })

const cursorsFor = ({ scope, row }: SessionView) =>
  cursorsOf(['runs', scopeMark(scope.storageKey), row.generation.generationSequence], integer)

builder.objectFields(Session, (t) => ({
  runs: t.field({
    type: RunConnection,
    description: 'Its runs, newest first.',
    args: forwardArguments,
    resolve: async (session, args, { reads }) => {
      const { scope, row } = session
      const cursors = cursorsFor(session)
      const request = pageRequest(args, cursors)
      const before = request.after !== undefined && { before: request.after }
      return connectionView({
        rows: await reads.runs.pages.load({ sessionKey: row.key, ...before, limit: request.size + 1 }),
        request,
        nodeOf: (run) => runView(scope, run),
        cursorOf: ({ ordinal }) => cursors.encode(ordinal),
        count: () => Promise.resolve({ total: row.next.run, capped: false }),
      })
    },
  }),
  activeRun: t.field({
    type: Run,
    nullable: true,
    description: 'The run that goes on; null when none does.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const run = row.work.kind === 'running' ? await reads.runs.byId.load(row.work.runId) : null
      return run && isLive(run) ? runView(scope, run) : null
    },
  }),
  lastRun: t.field({
    type: Run,
    nullable: true,
    description: 'Its newest run, whether it goes on or has ended; null when there was none.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const run = await reads.runs.latest.load(row.key)
      return run && runView(scope, run)
    },
  }),
}))

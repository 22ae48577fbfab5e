import { type Answer, done, no, notFound, type RefusalOf } from '../../kernel/refusal.ts'
import { normalise } from '../../kernel/normalise.ts'
import { idRule, messageRule } from '../../domain/input-rules.ts'
import { MAX_TOOL_OUTPUT_DEPTH, MAX_TOOL_OUTPUT_ITEMS } from '../../domain/limits.ts'
import type { Reconciliation, UncertainExecution } from '../../domain/tool/execution.ts'
import type { Caller, CommonRefusal, ReconcileToolExecution } from '../harness.ts'
import type { Plan } from '../session-actor.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { expected } from './expected.ts'
import { inScope } from './in-scope.ts'

type Reconciled = Answer<UncertainExecution, CommonRefusal | RefusalOf<'RECONCILIATION_STATE'>>

/** Says what became of an execution. The next context of its session tells the model. An output is cut as those of tools are. */
export async function reconcileToolExecution(
  deps: VerbDeps,
  input: ReconcileToolExecution,
  caller: Caller,
): Promise<Reconciled> {
  const { scopeId, intentId, found } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['intentId'], intentId, idRule),
    ...checked(['error'], found.outcome === 'FAILED' ? found.error : undefined, messageRule),
  ])
  if (refusal) return no(refusal)
  const { executions } = deps.stores
  const missing = notFound('tool execution', intentId)
  const looked = await inScope(deps, { scopeId, caller, missing, find: () => executions.findMany([intentId]) })
  if (looked.kind === 'refused') return no(looked.refusal)
  const { row: known, life } = looked
  const as = reconciliationOf(deps, found)
  const change = await deps.sessions.actor(known.sessionKey).transact(async (): Promise<Plan<null>> => {
    const [execution] = await executions.findMany([intentId])
    if (!execution) return { kind: 'answer', value: null }
    const by = caller.principal
    const command = { type: 'reconcile', execution, found: as, by, at: deps.clock.now() } as const
    return { kind: 'change', commands: [command], unless: () => life.refusal }
  })
  switch (change.kind) {
    case 'changed': {
      const [reconciled = known] = await executions.findMany([intentId])
      return done(reconciled)
    }
    case 'refused':
      return no(expected(change.refusal, 'RECONCILIATION_STATE'))
    case 'denied':
      return no(change.refusal)
    case 'contended':
      return no(contended)
    case 'gone':
    case 'answered':
    case 'unchanged':
      return no(missing)
  }
}

function reconciliationOf({ limits }: VerbDeps, found: ReconcileToolExecution['found']): Reconciliation {
  switch (found.outcome) {
    case 'SUCCEEDED': {
      const bounds = { depth: MAX_TOOL_OUTPUT_DEPTH, items: MAX_TOOL_OUTPUT_ITEMS, bytes: limits.maxToolOutputBytes }
      return { outcome: 'SUCCEEDED', output: normalise(found.output, bounds).value }
    }
    case 'FAILED':
      return { outcome: 'FAILED', error: { code: 'TOOL_FAILED', message: found.error, source: 'reconciliation' } }
    case 'NOT_EXECUTED':
      return { outcome: 'NOT_EXECUTED' }
  }
}

import { intentIdOf } from '../../../src/kernel/ids.ts'
import type { LogBody } from '../../../src/domain/log/entry.ts'
import { MAX_ATTEMPTS } from '../../../src/domain/limits.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import type { UncertainExecution } from '../../../src/domain/tool/execution.ts'
import { type CallPart, callsOf } from '../calls-of.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What must hold of the tool calls of a session after each commit, by what is stored of them alone. */
export function expectCalls(state: SessionState): void {
  for (const run of state.runs) {
    holds(run.attempts <= MAX_ATTEMPTS, 'R66: a run is begun ten times at most', run)
    const calls = callsOf(state, run)
    const ids = calls.map(({ body }) => body.toolCallId)
    same(ids.length, new Set(ids).size, 'X2: the ids of calls are unique in their run')
    const log = state.log.filter(({ runId }) => runId === run.runId).map(({ body }) => body)
    expectSteps(log)
    for (const call of calls) {
      expectLogged(call, log)
      expectListed(state, run, call)
    }
  }
  const intents = new Set(
    state.runs.flatMap((run) => callsOf(state, run).map(({ partIndex }) => intentIdOf(run.runId, partIndex))),
  )
  const strays = state.executions.filter(({ intentId }) => !intents.has(intentId))
  holds(strays.length === 0, 'T6: an uncertain execution is one of a call', strays)
}

/** A step begins when every call of those before has its result. */
function expectSteps(log: readonly LogBody[]): void {
  const open = new Set<string>()
  for (const body of log) {
    if (body.kind === 'step') {
      holds(open.size === 0, 'X1: the model is asked again only once every result is durable', [...open])
      for (const id of body.calls ?? []) open.add(id)
    }
    if (body.kind === 'result') open.delete(body.toolCallId)
  }
}

function expectLogged({ body, status, finishedAt }: CallPart, log: readonly LogBody[]): void {
  const { toolCallId, begunAt, effect, output, error } = body
  const intents = log.filter((entry) => entry.kind === 'intent' && entry.toolCallId === toolCallId).length
  holds(intents > 0 === (begunAt !== null), 'X1: the intent of a call is logged when it begins', body, intents)
  holds(effect !== 'once' || intents <= 1, 'R63: a call that must not be repeated is begun once', body, intents)
  const results = log.flatMap((entry) => (entry.kind === 'result' && entry.toolCallId === toolCallId ? [entry.result] : []))
  same(results.length, finishedAt === null ? 0 : 1, `T5: a call has its result when it has ended (${toolCallId})`)
  for (const result of results) {
    const told = result.status === 'COMPLETED' ? [result.output, null] : [null, result.error]
    same([status, output, error], [result.status, ...told], 'T5: the part of a call shows its result')
  }
}

function expectListed({ executions, log }: SessionState, { runId }: Run, { partIndex, status, body, finishedAt }: CallPart): void {
  const { error } = body
  const execution = executions.find(({ intentId }) => intentId === intentIdOf(runId, partIndex))
  const found = execution && foundOf(execution)
  if (status === 'UNCERTAIN') holds(execution !== undefined, 'X60: a call that may have happened is listed', body)
  if (body.child) holds(execution === undefined, 'G50: a call of `delegate` is never listed as uncertain', body)
  if (body.begunAt !== null && body.effect !== 'none' && !body.child && status === 'CANCELLED') {
    same(found, 'NOT_EXECUTED', 'X60: of a call that had begun nobody says without looking that it did not happen')
  }
  const wasRefused = error !== null && ['PERMISSION_DENIED', 'VALIDATION_FAILED'].includes(error.code)
  const mayHaveHappened = body.begunAt !== null && body.effect !== 'none'
  holds(!mayHaveHappened || !wasRefused, 'R92: of a call that had begun nobody is told that it was refused', body)
  if (!execution) return
  holds(body.effect !== 'none', 'X60: what has no effects is not uncertain', body)
  same(execution.toolCallId, body.toolCallId, 'T6: an execution names its call')
  if (found === undefined) return same(status, 'UNCERTAIN', 'X60: a call is uncertain until it is reconciled')
  const later = log.filter((entry) => entry.runId === runId && isReconciled(entry.body, body.toolCallId)).length
  const isResult = finishedAt !== null && status === resultOf[found]
  same(later, isResult ? 0 : 1, 'X61: what was found out is told once')
}

const resultOf = { SUCCEEDED: 'COMPLETED', FAILED: 'FAILED', NOT_EXECUTED: 'CANCELLED' } as const

const isReconciled = (body: LogBody, toolCallId: string): boolean => body.kind === 'reconciled' && body.toolCallId === toolCallId

const foundOf = ({ state }: UncertainExecution) => (state.kind === 'reconciled' ? state.found.outcome : undefined)

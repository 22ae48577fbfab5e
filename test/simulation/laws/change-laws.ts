import type { Part } from '../../../src/domain/message/message.ts'
import type { Permission } from '../../../src/domain/permission/permission.ts'
import { abortOf, isLive, type Run } from '../../../src/domain/run/run.ts'
import type { Attempts } from '../attempts.ts'
import type { Author } from '../author.ts'
import { callsOf } from '../calls-of.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'
import type { GrantLaws } from './grant-laws.ts'
import type { LeaseLaws } from './lease-laws.ts'
import type { Outside } from './outside-laws.ts'

export interface ChangeLawsDeps {
  readonly outside: Outside
  readonly attempts: Attempts
  readonly grants: GrantLaws
  /** Who was alive; null where one process owns the stores. */
  readonly leases: LeaseLaws | null
}

/** Compares what is stored of a session before and after each commit. */
export class ChangeLaws {
  readonly #deps: ChangeLawsDeps

  constructor(deps: ChangeLawsDeps) {
    this.#deps = deps
  }

  expect(author: Author, before: SessionState | undefined, after: SessionState): void {
    for (const run of after.runs) {
      const was = before?.runs.find(({ runId }) => runId === run.runId)
      if (before && was && isLive(was)) this.#expectRun(author, { before, was }, { after, run })
      this.#expectCalls(author, before, { after, run })
    }
    if (!before) return
    const { grants } = this.#deps
    same(after.log.slice(0, before.log.length), before.log, 'R11: the agent log is only added to')
    for (const permission of before.permissions) expectRequest(permission, after)
    for (const { intentId, state } of before.executions) {
      if (state.kind !== 'reconciled') continue
      same(after.executions.find((it) => it.intentId === intentId)?.state, state, 'X61: an execution is reconciled once')
    }
    grants.expect(before, after)
  }

  #expectRun(author: Author, { before, was }: { before: SessionState; was: Run }, { after, run }: { after: SessionState; run: Run }): void {
    const { leases, attempts } = this.#deps
    const isTakenOver = run.epoch !== was.epoch
    const isEndedByOther = !isLive(run) && author.owner !== run.owner
    if (isTakenOver) {
      same([run.owner, run.attempts], [author.owner, was.attempts + 1], 'R14: who resumes a run owns it, for one more attempt')
      same([run.steps, run.usage], [was.steps, was.usage], 'R14: a resumption keeps what a run has done')
    } else {
      same(run.owner, was.owner, 'R7: a run gets another owner only with another epoch')
    }
    if (isTakenOver || isEndedByOther) {
      const since = attempts.of(run.runId).find(({ epoch }) => epoch === was.epoch)?.since ?? 0
      leases?.tookOver(author.owner, was.owner, since)
    }
    if (isTakenOver || author.owner === run.owner || !isLive(run)) return
    same(told(after, run), told(before, was), `C36: only who executes a run writes what its model says; this is ${author.name}`)
  }

  #expectCalls(author: Author, before: SessionState | undefined, { after, run }: { after: SessionState; run: Run }): void {
    const { outside } = this.#deps
    for (const call of callsOf(after, run)) {
      const was = before?.parts.find(({ partId }) => partId === call.partId)
      if (was?.finishedAt != null) same(call, was, 'M1: what has ended of a message never changes')
      if (call.status === 'RUNNING' && was?.status !== 'RUNNING') {
        same(author.owner, run.owner, 'X1: who executes a run makes its intents')
        outside.begun(author, run.runId, call.body.toolCallId)
      }
      if (call.status !== 'COMPLETED' || was?.status === 'COMPLETED') continue
      const wasLost = after.executions.some(({ runId, toolCallId }) => runId === run.runId && toolCallId === call.body.toolCallId)
      if (!wasLost) outside.expectOutput(run.runId, call)
    }
  }
}

/** What only the executor of a run writes. */
const told = ({ parts }: SessionState, run: Run): unknown => {
  const texts = parts.filter((part) => part.messageIndex === run.assistantMessageIndex && part.body.kind !== 'tool')
  return [run.steps, run.partCount, run.model, texts]
}

/** A request that waits keeps its id until it is answered, or nobody can use the answer any more. */
function expectRequest(before: Permission, { permissions, runs, parts }: SessionState): void {
  const after = permissions.find(({ permissionId }) => permissionId === before.permissionId)
  if (before.state.kind === 'resolved') return same(after?.state, before.state, 'P1: a request is resolved once')
  if (after?.state.kind !== 'resolved' || after.state.decision !== 'CANCELLED') return
  const run = runs.find(({ runId }) => runId === before.runId)
  const isOver = !run || !isLive(run) || abortOf(run) !== null
  const call = parts.find(({ body }) => body.kind === 'tool' && body.permissionId === before.permissionId)
  holds(isOver || isUnused(run, call), 'R62: a request keeps its id over a crash', before, run, call)
}

/** Whether nobody can use an answer any more. */
function isUnused({ stepFrom, superseded }: Run, call: Part | undefined): boolean {
  if (!call || call.finishedAt !== null || call.partIndex >= stepFrom) return true
  return superseded.some(({ from, to }) => from <= call.partIndex && call.partIndex < to)
}

import { isLive } from '../../../src/domain/run/run.ts'
import type { Asked } from '../history.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** What there was around a command. */
export interface Circumstances {
  /** The session when the command was given, and when it was answered. */
  readonly before: SessionState | undefined
  readonly after: SessionState | undefined
  /** True when the process met something that may make a command fail. */
  readonly mayFail: boolean
  /** False when the process is being stopped, or refuses work until it is started again. */
  readonly isServing: boolean
}

/** Which refusals a verb may meet for a reason that lies in the command or in the session. */
const refusals: Readonly<Record<Asked['verb'], readonly string[]>> = {
  create: ['VALIDATION_FAILED'],
  enqueue: ['VALIDATION_FAILED', 'QUEUE_FULL', 'SESSION_BUSY', 'NOT_FOUND'],
  cancel: [],
  abort: ['NOT_FOUND'],
  respond: ['PERMISSION_STATE'],
  reconcile: ['RECONCILIATION_STATE'],
  revoke: ['NOT_FOUND'],
}
const ofTheProcess: ReadonlySet<string> = new Set(['SHUTTING_DOWN', 'SCOPE_FENCED', 'SCOPE_RETIRED'])

/** Nothing is refused, nothing fails and nothing is too late without a reason that held at some time meanwhile. */
export function expectAnswer(asked: Asked, { before, after, mayFail, isServing }: Circumstances): void {
  const { fate, verb } = asked
  if (fate.kind === 'failed' || fate.kind === 'unknown') {
    holds(mayFail, 'C32: nothing fails by the failure of others', asked)
  }
  if (fate.kind === 'refused') {
    const isOfTheProcess = ofTheProcess.has(fate.code) && !isServing
    holds(isOfTheProcess || refusals[verb].includes(fate.code), 'C35: nothing is refused without a reason', asked)
    const isTaken = verb !== 'create' || isOfTheProcess || after !== undefined
    holds(isTaken, 'S40: only an id that is taken is refused', asked)
    holds(fate.code !== 'NOT_FOUND' || !before || verb === 'revoke', 'C9: what is stored is found', asked)
    expectTooLate(asked, before, after)
    if (fate.code === 'SESSION_BUSY') expectBusy(asked, before, after)
  }
  if (verb === 'abort' && fate.kind === 'done' && fate.value === null) expectNothingToAbort(asked, before, after)
}

/** People are told that they are too late only when they are. */
function expectTooLate(asked: Asked, before: SessionState | undefined, after: SessionState | undefined): void {
  const code = asked.fate.kind === 'refused' ? asked.fate.code : ''
  if (asked.verb === 'respond' && code === 'PERMISSION_STATE') {
    const permission = after?.permissions.find(({ permissionId }) => permissionId === asked.input.permissionId)
    same(permission?.state.kind, 'resolved', 'X24: only what has been answered cannot be answered')
  }
  if (asked.verb === 'reconcile' && code === 'RECONCILIATION_STATE') {
    const execution = after?.executions.find(({ intentId }) => intentId === asked.input.intentId)
    same(execution?.state.kind, 'reconciled', 'X61: only what has been reconciled cannot be reconciled')
  }
  if (asked.verb !== 'revoke' || code !== 'NOT_FOUND') return
  const isThere = (state: SessionState | undefined) =>
    state?.grants.some(({ permissionId }) => permissionId === asked.grant.permissionId) ?? false
  holds(!isThere(before) || !isThere(after), 'X21: a grant can be revoked', asked)
}

function expectBusy(asked: Asked, before: SessionState | undefined, after: SessionState | undefined): void {
  const wasIdle = before?.session.work.kind === 'idle' && before.session.revision === after?.session.revision
  const isReject = asked.verb === 'enqueue' && asked.input.whenBusy === 'REJECT'
  holds(isReject && !wasIdle, 'Q45: only a busy session refuses a prompt, and only one with REJECT', asked)
}

function expectNothingToAbort(asked: Asked, before: SessionState | undefined, after: SessionState | undefined): void {
  const run = before?.runs.find(isLive)
  const still = after?.runs.find(isLive)
  const ranOn = run !== undefined && run.runId === still?.runId
  holds(!ranOn, 'R10: a run that is active all the time can be aborted', asked, still)
}

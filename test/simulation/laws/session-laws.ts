import { messageIdOf, partIdOf } from '../../../src/kernel/ids.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import { errorOf } from '../../../src/domain/run/outcome.ts'
import type { LogBody } from '../../../src/domain/log/entry.ts'
import { isLive, type Run } from '../../../src/domain/run/run.ts'
import { addUsage, noUsage } from '../../../src/domain/run/usage.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'
import { expectCalls } from './call-laws.ts'
import { expectRequests } from './request-laws.ts'

/** What must hold of the rows of a session after each commit. Throws the first law that does not. */
export function expectConsistent(state: SessionState): void {
  expectNumbered(state)
  expectOneRun(state)
  expectEntries(state)
  for (const run of state.runs) expectRun(state, run)
  expectCalls(state)
  expectRequests(state)
  expectTotals(state)
}

const counted = (rows: readonly number[]): boolean => rows.every((number, index) => number === index)

function expectNumbered({ session, entries, runs, messages, log, permissions, executions }: SessionState): void {
  const { next } = session
  holds(counted(entries.map(({ ordinal }) => ordinal)), 'Q9: entries are numbered without gaps', entries)
  holds(counted(runs.map(({ ordinal }) => ordinal)), 'R7: runs are numbered without gaps', runs)
  holds(counted(messages.map(({ index }) => index)), 'M5: messages are numbered without gaps', messages)
  holds(counted(log.map(({ index }) => index)), 'R11: the agent log is numbered without gaps', log)
  holds(counted(permissions.map(({ ordinal }) => ordinal)), 'P1: requests are numbered without gaps', permissions)
  holds(counted(executions.map(({ ordinal }) => ordinal)), 'T6: executions are numbered without gaps', executions)
  const counts = {
    entry: entries.length,
    run: runs.length,
    message: messages.length,
    log: log.length,
    permission: permissions.length,
    execution: executions.length,
  }
  same(next, counts, 'C9: the session counts what it owns')
  same(session.epoch, runs.at(-1)?.epoch ?? 0, 'R7: the session has the epoch of its newest run')
}

function expectOneRun({ session, entries, runs }: SessionState): void {
  const { work } = session
  const live = runs.filter(isLive)
  const outstanding = entries.filter(({ state }) => state.kind !== 'finished')
  holds(live.length <= 1, 'R2: at most one run of a session is live', live)
  const [run] = live
  const kind = run ? 'running' : outstanding.length > 0 ? 'queued' : 'idle'
  same(work.kind, kind, 'Q8: a session is busy exactly as long as a prompt waits or runs')
  if (work.kind === 'running') same([work.runId, work.run], [run?.runId, run?.ordinal], 'R2: the session names its run')
  const started = entries.filter(({ state }) => state.kind === 'started' || state.kind === 'running')
  same(started.map(({ queueId }) => queueId), live.map(({ queueId }) => queueId), 'R2: the live run is that of the entry that started')
}

function expectEntries({ entries, runs }: SessionState): void {
  const ids = entries.flatMap(({ clientRequestId }) => clientRequestId ?? [])
  same(ids.length, new Set(ids).size, 'Q42: a client request makes one entry')
  same(runs.length, new Set(runs.map(({ queueId }) => queueId)).size, 'R3: an entry has one run')
  for (const { queueId, state } of entries) {
    const run = runs.find((candidate) => candidate.queueId === queueId)
    same(state.kind === 'queued' ? null : state.runId, run?.runId ?? null, 'R3: an entry knows its run')
    if (state.kind !== 'finished' || !run) continue
    const outcome = run.state.kind === 'finished' ? run.state.outcome : undefined
    same([state.status, state.error], [outcome?.status, outcome && errorOf(outcome)], 'R3: a run and its entry end alike')
  }
}

function expectRun(state: SessionState, run: Run): void {
  const { ordinal, runId, epoch, userMessageIndex, assistantMessageIndex } = run
  const before = state.runs[ordinal - 1]?.epoch ?? 0
  holds(epoch > before, 'R7: a run has an epoch after that of the run before', { epoch, before })
  const mine = state.messages.filter((message) => message.runId === runId)
  same(
    mine.map(({ index, role, messageId }) => [index, role, messageId]),
    [
      [userMessageIndex, 'USER', messageIdOf(runId, 0)],
      [assistantMessageIndex, 'ASSISTANT', messageIdOf(runId, 1)],
    ],
    'M5: of each run the message of the user, then that of the assistant',
  )
  expectParts(state, run)
  expectLog(state, run)
}

function expectParts({ parts }: SessionState, run: Run): void {
  const user = parts.filter(({ messageIndex }) => messageIndex === run.userMessageIndex)
  holds(user.every(({ status }) => status === 'COMPLETED'), 'M4: what the user said is complete', user)
  const streamed = parts.filter(({ messageIndex }) => messageIndex === run.assistantMessageIndex)
  const ids = streamed.map((_, index) => partIdOf(messageIdOf(run.runId, 1), index))
  same(streamed.map(({ partId }) => partId), ids, 'M3: parts are numbered without gaps')
  same(streamed.length, run.partCount, 'M3: a run counts its parts')
  const open = streamed.filter(({ finishedAt }) => finishedAt === null)
  holds(isLive(run) || open.length === 0, 'M1: no part is open once its run has ended', open)
  for (const { status, body, finishedAt } of streamed) {
    if (body.kind !== 'text' && body.kind !== 'reasoning') continue
    holds((status === 'RUNNING') === (finishedAt === null), 'M1: a part has a time when it is complete', streamed)
    const outcome = run.state.kind === 'finished' ? run.state.outcome.status : 'COMPLETED'
    holds(['RUNNING', 'COMPLETED', 'INTERRUPTED', outcome].includes(status), 'M2: a part that was cut closes as its run did', streamed)
  }
}

function expectLog({ log }: SessionState, run: Run): void {
  const bodies = log.filter(({ runId, body }) => runId === run.runId && body.kind !== 'reconciled').map(({ body }) => body)
  expectResults(bodies, run)
  const count = (kind: string): number => bodies.filter((body) => body.kind === kind).length
  same(bodies[0]?.kind, 'input', 'R11: the agent log of a run begins with its input')
  const counts = [count('input'), count('step'), count('outcome')]
  same(counts, [1, run.steps, isLive(run) ? 0 : 1], 'R11: the agent log holds the input, each step and the outcome of a run')
  if (run.state.kind !== 'finished') return
  const last = bodies.at(-1)
  const { outcome } = run.state
  const told = last?.kind === 'outcome' ? [last.status, last.error] : []
  same(told, [outcome.status, errorOf(outcome)], 'R11: the agent log of a run ends with how it ended')
}

function expectResults(bodies: readonly LogBody[], run: Run): void {
  const asked = bodies.flatMap((body) => (body.kind === 'step' ? (body.calls ?? []) : []))
  const answered = bodies.flatMap((body) => (body.kind === 'result' ? [body.toolCallId] : []))
  same(answered.length, new Set(answered).size, 'T5: a call has at most one result')
  const missing = asked.filter((id) => !answered.includes(id))
  holds(isLive(run) || missing.length === 0, 'T5: every call has a result once its run has ended', missing)
}

function expectTotals({ session, runs }: SessionState): void {
  const sum = runs.reduce((usage, run) => addUsage(usage, run.usage), noUsage)
  same(session.usage, sum, 'R9: the usage of a session is the sum of that of its runs')
}

/** Of entries that wait, the one that began must have been the first. For the state that an admission left. */
export function expectFirst(entries: readonly Entry[], queueId: string): void {
  const admitted = entries.find((entry) => entry.queueId === queueId)
  const waiting = entries.filter(({ state }) => state.kind === 'queued')
  holds(
    waiting.every(({ rank }) => admitted !== undefined && admitted.rank < rank),
    'Q15: only the first of the waiting prompts is admitted',
    { admitted, waiting },
  )
}

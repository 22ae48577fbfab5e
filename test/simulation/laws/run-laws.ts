import type { QueueId, RunId } from '../../../src/kernel/ids.ts'
import { MAX_ATTEMPTS } from '../../../src/domain/limits.ts'
import type { Part } from '../../../src/domain/message/message.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import { interrupted } from '../../../src/domain/run/outcome.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import type { RecoveryPolicy } from '../../../src/runtime/recovery-policy.ts'
import type { Attempts } from '../attempts.ts'
import type { Author } from '../author.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'
import type { Said, Transcript } from '../transcript.ts'

export interface RunLawsDeps {
  readonly transcript: Transcript
  readonly attempts: Attempts
  readonly recovery: RecoveryPolicy
}

/** Compares runs with who executed them and with what their models said; what has ended stays as it is. */
export class RunLaws {
  readonly #deps: RunLawsDeps
  readonly #finished = new Map<RunId | QueueId, Run | Entry>()

  constructor(deps: RunLawsDeps) {
    this.#deps = deps
  }

  /** For the state that a commit of `author` left. */
  expect(author: Author, state: SessionState): void {
    for (const run of state.runs) {
      if (run.state.kind === 'finished' && !this.#finished.has(run.runId)) this.#expectReason(author, run)
      this.#expectSaid(state, run)
      this.#expectFinal(run.runId, run)
    }
    for (const entry of state.entries) this.#expectFinal(entry.queueId, entry)
  }

  /** What is stored of each part is what the model said, or its beginning. */
  #expectSaid({ parts }: SessionState, run: Run): void {
    const { transcript, attempts } = this.#deps
    const { runId, assistantMessageIndex } = run
    const streamed = parts.filter(({ messageIndex }) => messageIndex === assistantMessageIndex)
    const all = attempts.of(runId)
    for (const [i, { epoch, from }] of all.entries()) {
      const said = transcript.of({ runId, epoch })
      const mine = streamed.slice(from, all[i + 1]?.from)
      for (const [k, part] of mine.entries()) expectPart(part, said[k])
      const isLast = i === all.length - 1
      if (!isLast || run.state.kind !== 'finished' || run.state.outcome.status !== 'COMPLETED') continue
      same(mine.length, said.length, 'M2: a completed run has all of its parts')
    }
  }

  #expectReason({ name, owner, isLeaving, hardFaults }: Author, run: Run): void {
    const { runId, state, attempts } = run
    if (state.kind !== 'finished' || state.outcome.status === 'COMPLETED') return
    const { error } = state.outcome
    if (error.code === 'INTERRUPTED' && 'error' in interrupted && error.message === interrupted.error.message) {
      holds(owner !== run.owner || isLeaving, 'R48: a process does not interrupt its own runs', runId, name)
      const mayEnd = this.#deps.recovery === 'FAIL' || attempts >= MAX_ATTEMPTS
      holds(mayEnd, 'R60: under RESUME a run whose process stopped goes on', run)
    }
    if (error.source === 'store') holds(hardFaults > 0, 'C35: a run fails by the store only if that failed', runId, name)
  }

  #expectFinal(id: RunId | QueueId, row: Run | Entry): void {
    if (row.state.kind !== 'finished') return
    const before = this.#finished.get(id)
    if (before) same(row, before, 'R3: what has ended never changes')
    else this.#finished.set(id, row)
  }
}

function expectPart({ status, body }: Part, said: Said | undefined): void {
  if (body.kind === 'tool') {
    const asked = said?.kind === 'call' ? [said.toolName, said.input] : []
    return same([body.toolName, body.input], asked, 'X2: a call is one that the model asked for')
  }
  const text = 'text' in body ? body.text : ''
  const whole = said?.kind === 'text' ? said.text : ''
  holds(whole.startsWith(text), 'R43: the text of a part is what the model said', text, whole)
  if (status === 'COMPLETED') same(text, whole, 'M2: a complete part has all of its text')
}

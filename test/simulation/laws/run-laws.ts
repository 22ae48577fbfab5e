import type { QueueId, RunId } from '../../../src/kernel/ids.ts'
import type { Entry } from '../../../src/domain/prompt/entry.ts'
import type { Run } from '../../../src/domain/run/run.ts'
import { holds, same } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'
import type { Transcript } from '../talkative-models.ts'

/** The process that a commit comes from. */
export interface Author {
  readonly name: string
  /** True once it was told to stop. */
  readonly isLeaving: boolean
  /** Faults that its store calls have met and that may make something fail. */
  readonly hardFaults: number
}

/** Compares runs with who executed them and with what their models said; what has ended stays as it is. */
export class RunLaws {
  readonly #transcript: Transcript
  readonly #executors = new Map<RunId, Author>()
  readonly #finished = new Map<RunId | QueueId, Run | Entry>()

  constructor(transcript: Transcript) {
    this.#transcript = transcript
  }

  /** For the state that a commit of `author` left. */
  expect(author: Author, state: SessionState): void {
    for (const run of state.runs) {
      if (!this.#executors.has(run.runId)) this.#executors.set(run.runId, author)
      if (run.state.kind === 'finished' && !this.#finished.has(run.runId)) this.#expectReason(author, run)
      this.#expectSaid(state, run)
      this.#expectFinal(run.runId, run)
    }
    for (const entry of state.entries) this.#expectFinal(entry.queueId, entry)
  }

  /** What is stored of each part is what the model said, or its beginning. */
  #expectSaid({ parts }: SessionState, run: Run): void {
    const said = this.#transcript.of(run.runId)
    const streamed = parts.filter(({ messageIndex }) => messageIndex === run.assistantMessageIndex)
    for (const { partIndex, status, body } of streamed) {
      const text = 'text' in body ? body.text : ''
      const whole = said[partIndex] ?? ''
      holds(whole.startsWith(text), 'R43: the text of a part is what the model said', text, whole)
      if (status === 'COMPLETED') same(text, whole, 'M2: a complete part has all of its text')
    }
    if (run.state.kind !== 'finished' || run.state.outcome.status !== 'COMPLETED') return
    same(streamed.length, said.length, 'M2: a completed run has all of its parts')
  }

  #expectReason(author: Author, { runId, state }: Run): void {
    if (state.kind !== 'finished' || state.outcome.status === 'COMPLETED') return
    const { error } = state.outcome
    const executor = this.#executors.get(runId)
    // A fence, which a process raises when it does not know what became of a commit, says so in the message.
    if (error.code === 'INTERRUPTED' && !error.message.startsWith('The scope was fenced')) {
      holds(author.name !== executor?.name || author.isLeaving, 'R48: a process does not interrupt its own runs', runId, author)
    }
    if (error.source === 'store') {
      holds(author.hardFaults > 0, 'C35: a run fails by the store only if that failed', runId, author)
    }
  }

  #expectFinal(id: RunId | QueueId, row: Run | Entry): void {
    if (row.state.kind !== 'finished') return
    const before = this.#finished.get(id)
    if (before) same(row, before, 'R3: what has ended never changes')
    else this.#finished.set(id, row)
  }
}

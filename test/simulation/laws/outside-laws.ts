import type { RunId, SessionId } from '../../../src/kernel/ids.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { isLive } from '../../../src/domain/run/run.ts'
import type { ToolCall } from '../../../src/ports/tools.ts'
import type { Author } from '../author.ts'
import { type CallPart, callsOf } from '../calls-of.ts'
import { holds } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'
import { toolKinds } from '../tool-kinds.ts'

interface Deeds {
  /** By process. */
  readonly begun: Map<string, number>
  readonly executed: Map<string, number>
  readonly outputs: unknown[]
}

export interface OutsideDeps {
  readonly states: ReadonlyMap<SessionId, SessionState>
  /** Notes a law that is looked at outside of a commit. */
  readonly look: (check: () => void) => void
}

/** What tools have really done, whatever became of it in the stores. */
export class Outside {
  readonly #deps: OutsideDeps
  readonly #calls = new Map<string, Deeds>()
  #handles = 0
  /** Handles of tools that nobody has tried to release, with the process that has them. */
  readonly #used = new Map<number, string>()
  readonly #released = new Set<number>()

  constructor(deps: OutsideDeps) {
    this.#deps = deps
  }

  /** Executions so far. */
  get executions(): number {
    return [...this.#calls.values()].reduce((sum, { executed }) => sum + totalOf(executed), 0)
  }

  /** A process has made the intent of a call durable. */
  begun({ owner }: Author, runId: RunId, toolCallId: string): void {
    add(this.#of(runId, toolCallId).begun, owner)
  }

  /** A tool is executed. The result is to be called for its output when it has done its work. */
  executed(author: Author, toolName: string, call: ToolCall): () => Json {
    const deeds = this.#of(call.runId, call.toolCallId)
    add(deeds.executed, author.owner)
    this.#deps.look(() => this.#expectRight(author, toolName, call))
    return () => {
      const output = { nth: totalOf(deeds.executed), of: call.toolCallId }
      deeds.outputs.push(output)
      return output
    }
  }

  /** A call that has ended well was executed, and shows what its tool answered. */
  expectOutput(runId: RunId, { body }: CallPart): void {
    const { outputs } = this.#of(runId, body.toolCallId)
    const shown = JSON.stringify(body.output)
    holds(outputs.some((output) => JSON.stringify(output) === shown), 'X1: a result is what the tool answered', body, outputs)
  }

  /** A run is given tools. */
  handed({ owner }: Author): number {
    this.#used.set(++this.#handles, owner)
    return this.#handles
  }

  /** A run gives its tools back, which may fail. */
  returned(handle: number): void {
    this.#used.delete(handle)
  }

  released(handle: number): void {
    const wasReleased = this.#released.has(handle)
    this.#released.add(handle)
    this.#deps.look(() => holds(!wasReleased, 'X40: tools are released once'))
  }

  /** For a moment in which nothing goes on in a process: it executes nothing any more, whoever has its runs now. */
  expectReturned({ name, owner }: Author): void {
    const left = [...this.#used].filter(([, user]) => user === owner).map(([handle]) => handle)
    holds(left.length === 0, 'X40: tools are released whatever happens to the run', name, left)
  }

  #expectRight(author: Author, toolName: string, { sessionId, runId, toolCallId, signal }: ToolCall): void {
    const { begun, executed } = this.#of(runId, toolCallId)
    const state = this.#deps.states.get(sessionId)
    const about = { toolName, runId, toolCallId, by: author.name }
    if (!state) return holds(false, 'C9: a call is one of a session', about)
    const mine = [executed.get(author.owner) ?? 0, begun.get(author.owner) ?? 0] as const
    holds(mine[0] <= mine[1], 'X1: each execution has an intent of its own, which is durable', about, mine)
    const mayRepeat = toolKinds[toolName]?.idempotent === true
    holds(mayRepeat || totalOf(executed) === 1, 'R63: what must not be repeated is executed once', about)
    const run = state.runs.find((candidate) => candidate.runId === runId)
    const part = run && callsOf(state, run).find(({ body }) => body.toolCallId === toolCallId)
    const isCurrent = run !== undefined && isLive(run) && run.owner === author.owner
    holds(!isCurrent || part?.finishedAt === null, 'R60: a call that has its result is not executed again', about, part)
    holds(!signal.aborted, 'R93: a call is not executed once its run was told to stop', about, String(signal.reason))
    holds(toolName !== 'seal', 'X27: what a policy denies is not executed', about)
    const isAsked = toolName === 'burn' || toolName === 'put'
    const hasAsked = state.permissions.some((asked) => asked.runId === runId && asked.toolCallId === toolCallId)
    holds(!isAsked || hasAsked, 'X20: what has to be asked for is asked for', about)
  }

  #of(runId: RunId, toolCallId: string): Deeds {
    const key = `${runId} ${toolCallId}`
    const deeds = this.#calls.get(key) ?? { begun: new Map(), executed: new Map(), outputs: [] }
    this.#calls.set(key, deeds)
    return deeds
  }
}

const add = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

const totalOf = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0)

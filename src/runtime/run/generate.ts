/**
 * Takes a run through its steps: a model call, then the tool calls that it asked for, until the model is done.
 *
 * Owns the ids of calls and the count of tool data. Invariants:
 * - A step's output and its open calls are durable before any of them is executed, every result before the next step.
 * - No more than `maxSteps` model calls are made. Calls of the last one are not executed: nobody would read the results.
 */
import { storable, utf8Length } from '../../kernel/text.ts'
import { outOfSteps, overflowed } from '../../domain/run/outcome.ts'
import type { Session } from '../../domain/session/session.ts'
import type { ToolCallInfo } from '../../domain/tool/call.ts'
import type { Model, StepPart } from '../../ports/model.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import type { Tool } from '../../ports/tools.ts'
import type { OpenTool } from '../../domain/message/message.ts'
import { CallIds } from './call-ids.ts'
import { callTools, type CallToolsDeps } from './call-tools.ts'
import type { PartWriter } from './part-writer.ts'
import type { Past } from './past.ts'
import { pump } from './pump.ts'
import { readLog } from './read-log.ts'
import { RunEnd } from './run-end.ts'
import type { OpenCall } from './tool-gate.ts'

export interface GenerationDeps extends Omit<CallToolsDeps, 'spend'> {
  readonly stores: Pick<Stores, 'log' | 'executions' | 'sessions'>
  readonly session: Session
  readonly model: Model
  readonly tools: ReadonlyMap<string, Tool>
  readonly system: string | null
  readonly maxSteps: number
  readonly writer: PartWriter
  /** Steps of earlier attempts. */
  readonly stepsBefore: number
  readonly past: Past
}

/** Resolves when the model is done. What ends the last step waits in the writer then, for the run's last change. */
export async function generate(deps: GenerationDeps): Promise<void> {
  await new Generation(deps).run()
}

type Finish = Extract<StepPart, { type: 'finish' }>

interface Step {
  readonly reason: Finish['reason']
  readonly calls: readonly OpenCall[]
}

class Generation {
  readonly #deps: GenerationDeps
  readonly #callIds: CallIds
  #toolBytes: number

  constructor(deps: GenerationDeps) {
    this.#deps = deps
    this.#callIds = new CallIds(deps.past.callIds)
    this.#toolBytes = deps.past.toolBytes
  }

  async run(): Promise<void> {
    const { maxSteps, stepsBefore, past } = this.#deps
    if (past.open.length > 0) await this.#call(past.open.map((part) => this.#reopened(part)))
    if (stepsBefore >= maxSteps) throw new RunEnd(outOfSteps(maxSteps))
    for (let step = stepsBefore + 1; ; step++) {
      const { reason, calls } = await this.#step()
      if (reason !== 'continue' && calls.length === 0) return
      if (step >= maxSteps) throw new RunEnd(outOfSteps(maxSteps))
      if (calls.length > 0) await this.#call(calls)
    }
  }

  async #call(calls: readonly OpenCall[]): Promise<void> {
    await this.#deps.writer.flush()
    await callTools({ ...this.#deps, spend: (bytes) => this.#spend(bytes) }, calls)
  }

  async #step(): Promise<Step> {
    const { clock, stores, session, model, tools, system, signal, writer, run } = this.#deps
    // Its calls may have ended although it was told to stop.
    signal.throwIfAborted()
    const log = await readLog(stores.log, session.key)
    const stream = model.stream({ system, log, tools: [...tools.values()], signal })
    const calls: OpenCall[] = []
    let finish: Finish | undefined
    await pump(clock, { stream, signal }, (part) => {
      switch (part.type) {
        case 'start':
          return writer.open(part.block, part.kind)
        case 'delta':
          return writer.push(part.block, part.text)
        case 'end':
          return writer.close(part.block)
        case 'call':
          calls.push(this.#open(part))
          return undefined
        case 'finish':
          finish = part
          return undefined
      }
    })
    if (!finish) throw new Error('The model ended its stream without finishing.')
    const { output, usage, reason } = finish
    const ids = calls.length > 0 ? { calls: calls.map(({ info }) => info.toolCallId) } : {}
    writer.defer({ type: 'endStep', run, output, ...ids, usage, at: clock.now() })
    // The last step's end and the run's are one change.
    if (reason === 'continue' || calls.length > 0) await writer.flush()
    return { reason, calls }
  }

  #open({ callId, toolName, input, problem }: Extract<StepPart, { type: 'call' }>): OpenCall {
    const tool = this.#deps.tools.get(toolName) ?? null
    const effect = !tool || tool.readOnly ? 'none' : tool.idempotent ? 'repeatable' : 'once'
    const info: ToolCallInfo = {
      toolCallId: this.#callIds.next(callId),
      providerCallId: storable(callId),
      toolName: storable(toolName),
      input,
      effect,
    }
    this.#spend(utf8Length(JSON.stringify(input)))
    return { partIndex: this.#deps.writer.openCall(info), info, tool: problem === null ? tool : null, problem, before: null }
  }

  /** A call that an earlier attempt has left. */
  #reopened({ partIndex, call: info, permissionId, state }: OpenTool): OpenCall {
    const tool = this.#deps.tools.get(info.toolName) ?? null
    return { partIndex, info, tool, problem: null, before: { state: state.kind, permissionId } }
  }

  #spend(bytes: number): void {
    const { maxToolBytes } = this.#deps.limits
    this.#toolBytes += bytes
    if (this.#toolBytes > maxToolBytes) throw new RunEnd(overflowed('bytes of tool data', maxToolBytes))
  }
}

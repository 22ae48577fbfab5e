import type { Json } from '../kernel/json.ts'
import type { LogEntry } from '../domain/log/entry.ts'
import type { ModelIdentity } from '../domain/run/run.ts'
import type { Usage } from '../domain/run/usage.ts'
import type { ModelRequest } from './model-request.ts'
import type { Tool } from './tools.ts'

/** Finds the model of a run. Throws when there is none: the run fails with a projected error. */
export interface ModelResolver {
  resolve(request: ModelRequest): Promise<Model>
  /** The models that clients may name, the default first. */
  readonly known: readonly ModelIdentity[]
}

/** One step's question to a model. */
export interface StepCall {
  readonly system: string | null
  /** The whole agent log of the session, oldest first. The agent builds the model's context from it. */
  readonly log: readonly LogEntry[]
  /** What the model may call. It only names the calls: the harness executes them. */
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
}

/**
 * What a streaming model call yields, in order: for each text or reasoning block one `start`, deltas, one `end`;
 * tool calls in the order in which they are in the output; last of all `finish`. `block` names a block within the call.
 */
export type StepPart =
  | { readonly type: 'start'; readonly block: string; readonly kind: 'text' | 'reasoning' }
  | { readonly type: 'delta'; readonly block: string; readonly text: string }
  | { readonly type: 'end'; readonly block: string }
  | {
      readonly type: 'call'
      /** As the provider named the call; not always unique. */
      readonly callId: string
      readonly toolName: string
      readonly input: Json
      /** Why the call cannot be made, for the model to read; null when it can. */
      readonly problem: string | null
    }
  | {
      readonly type: 'finish'
      /** `continue` asks for another step. One with tool calls is always followed by another. */
      readonly reason: 'stop' | 'continue' | 'length' | 'filtered'
      readonly usage: Usage
      /** For the agent log: what the next context needs of this step. */
      readonly output: Json
    }

export interface Model {
  readonly identity: ModelIdentity
  /** One model call. Throws what the provider threw; ends soon after `signal` aborts, or is abandoned. */
  stream(call: StepCall): AsyncIterable<StepPart>
}

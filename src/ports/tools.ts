import type { PermissionAsk } from '../domain/permission/permission.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import type { ModelRequest } from './model-request.ts'

/** What a run tells when it asks for its tools. Frozen. */
export interface ToolRequest extends ModelRequest {
  /** Asks a person. Resolves when it may go on; rejects when it may not. */
  readonly requestPermission: (ask: PermissionAsk) => Promise<void>
}

/** One call of a tool, as the tool sees it. Frozen. */
export interface ToolCall extends Omit<ModelRequest, 'signal' | 'modelHint'> {
  readonly toolCallId: string
  /** Aborts with the run, or when the call's time is over. */
  readonly signal: AbortSignal
}

/** What a tool answers about an input: the input as the tool takes it, or what is wrong with it, for the model to read. */
export type CheckedInput =
  | { readonly ok: true; readonly input: unknown }
  | { readonly ok: false; readonly message: string }

/**
 * A tool that models call. It shares one thread with the whole harness: what it does without awaiting, such as a long
 * computation or a synchronous read, holds up every session, subscription and deadline, its own abort and timeout included,
 * and nothing can stop it. Work like that belongs into a worker thread or another process, ended by `signal`.
 */
export interface Tool {
  readonly name: string
  readonly description: string
  /** The JSON schema of its input. */
  readonly inputSchema: JsonObject
  /** Changes nothing: allowed without asking unless a policy says otherwise. */
  readonly readOnly: boolean
  /** A call that may have happened can be repeated without harm. */
  readonly idempotent: boolean
  /** Milliseconds that a call may take; the harness' own limit when null. */
  readonly timeoutMs: number | null
  check(input: Json): Promise<CheckedInput>
  /** Whatever it returns is normalised; whatever it throws is shown to the model only as a projected error. */
  execute(input: unknown, call: ToolCall): Promise<unknown>
}

/** The tools of one run. `release` is called exactly once, whatever happens. */
export interface ToolHandle {
  readonly tools: readonly Tool[]
  release?(): Promise<void>
}

export interface ToolProvider {
  /** Throws when the tools cannot be had: the run fails with a projected error. */
  provide(request: ToolRequest): Promise<ToolHandle>
}

/** What the runs of a subagent may use. Tokens and time are shared with the run that delegates. */
export interface SubagentBudget {
  readonly totalTokens?: number
  /** Milliseconds. */
  readonly wallClockMs?: number
  /** Milliseconds without output. */
  readonly idleMs?: number
}

/** A named agent of the application, to which runs delegate. */
export interface SubagentDefinition {
  /** Unique; at most 128 UTF-8 bytes. What a model chooses by. */
  readonly name: string
  /** What it is good for, for the model that chooses; at most 2,048 UTF-8 bytes. */
  readonly description: string
  /** `provider:model`; the harness' own model when absent. */
  readonly modelHint?: string
  /** Its system prompt, at most 64 KiB; the harness' own when absent. */
  readonly system?: string
  /** Model calls of one run; the harness' limit when absent. */
  readonly maxSteps?: number
  readonly budget?: SubagentBudget
  /** The names of the tools that it may call, of those that its runs are provided with; all of them when absent. */
  readonly tools?: readonly string[]
}

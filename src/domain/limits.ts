/** The limits of the harness, each in its unit. An application may lower or raise the configurable ones. */
export interface Limits {
  /** Prompts per session that have not finished. */
  readonly maxOutstandingPromptsPerSession: number
  /** UTF-8 bytes of all prompts per session that have not finished. */
  readonly maxOutstandingPromptBytesPerSession: number
  /** UTF-8 bytes of one prompt, attachments included. */
  readonly maxPromptBytes: number
  /** Enqueue calls in flight per harness. */
  readonly maxAdmissionsInFlight: number
  /** Runs at the same time per harness. */
  readonly maxConcurrentRuns: number
  /** Model calls per run. */
  readonly maxSteps: number
  /** Parts per run. */
  readonly maxParts: number
  /** UTF-8 bytes of text per run. */
  readonly maxTextBytes: number
  /** UTF-8 bytes of reasoning per run. */
  readonly maxReasoningBytes: number
  /** UTF-8 bytes of inputs and outputs of tools per run, as JSON. */
  readonly maxToolBytes: number
  /** UTF-8 bytes of one output of a tool, as JSON; what is more is cut. */
  readonly maxToolOutputBytes: number
  /** Milliseconds that a call of a tool may take, unless the tool says otherwise. */
  readonly toolTimeoutMs: number
  /** Milliseconds after which a call that ignores its abort is abandoned. */
  readonly abortDeadlineMs: number
  /** Levels of sessions below a root that delegation may create: 1 to 8. */
  readonly maxSubagentDepth: number
  /** Calls of `delegate` per run: 1 to 128. */
  readonly maxSubagentCallsPerRun: number
}

const KIB = 1024
const MIB = 1024 * KIB

export const defaultLimits: Limits = {
  maxOutstandingPromptsPerSession: 32,
  maxOutstandingPromptBytesPerSession: 8 * MIB,
  maxPromptBytes: MIB,
  maxAdmissionsInFlight: 1024,
  maxConcurrentRuns: 64,
  maxSteps: 32,
  maxParts: 1000,
  maxTextBytes: 4 * MIB,
  maxReasoningBytes: 4 * MIB,
  maxToolBytes: 8 * MIB,
  maxToolOutputBytes: 256 * KIB,
  toolTimeoutMs: 120_000,
  abortDeadlineMs: 10_000,
  maxSubagentDepth: 1,
  maxSubagentCallsPerRun: 32,
}

/** The highest values of the limits that have one. */
export const highestLimits: Partial<Limits> = { maxSubagentDepth: 8, maxSubagentCallsPerRun: 128 }

/** How often a run is begun, the first time included, before it fails. */
export const MAX_ATTEMPTS = 10
/** UTF-8 bytes of an id that a client chooses. */
export const MAX_ID_BYTES = 512
export const MAX_TITLE_BYTES = 1024
export const MAX_FENCE_REASON_BYTES = 1024
export const MAX_METADATA_BYTES = 16 * KIB
export const MAX_METADATA_DEPTH = 32
export const MAX_ERROR_MESSAGE_BYTES = 2048
export const MAX_ERROR_CODE_BYTES = 128
/** Levels of lists and objects, and elements of all of them, in an output of a tool. */
export const MAX_TOOL_OUTPUT_DEPTH = 32
export const MAX_TOOL_OUTPUT_ITEMS = 10_000
export const MAX_PERMISSION_KIND_BYTES = 128
export const MAX_PERMISSION_DESCRIPTION_BYTES = 4 * KIB
export const MAX_REMEMBER_KEY_BYTES = 512
/** Uncertain executions, and requests for permission, that a session shows. */
export const MAX_EXECUTIONS_SHOWN = 100
export const MAX_PERMISSIONS_SHOWN = 100
/** Waiting requests for permission in one list of a scope. */
export const MAX_INBOX_SHOWN = 200
export const MAX_MODEL_HINT_BYTES = 512
export const MAX_SYSTEM_BYTES = 64 * KIB
/** The largest budgets that a prompt or a subagent may ask for. */
export const MAX_BUDGET_TOKENS = 1_000_000_000_000
/** 30 days. */
export const MAX_BUDGET_WALL_CLOCK_MS = 30 * 24 * 3_600_000
/** A day. */
export const MAX_BUDGET_IDLE_MS = 24 * 3_600_000
/** Subagents of a harness, and tools that one of them is restricted to. */
export const MAX_SUBAGENTS = 32
export const MAX_SUBAGENT_TOOLS = 256
export const MAX_SUBAGENT_NAME_BYTES = 128
export const MAX_SUBAGENT_DESCRIPTION_BYTES = 2 * KIB
export const MAX_TOOL_NAME_BYTES = 512
/** UTF-8 bytes of what a delegated task is called, of its prompt, and of the text that comes back. */
export const MAX_DELEGATED_DESCRIPTION_BYTES = 256
export const MAX_DELEGATED_PROMPT_BYTES = 64 * KIB
export const MAX_DELEGATED_TEXT_BYTES = 64 * KIB
/** UTF-8 bytes, as JSON, of what a person is told of a delegation. */
export const MAX_DELEGATION_METADATA_BYTES = 16 * KIB
export const MAX_ATTACHMENTS = 64
export const MAX_FILENAME_BYTES = 1024
/** Characters, parameters included. */
export const MAX_MEDIA_TYPE_LENGTH = 300
/** Sessions that one deletion of a cohort names. */
export const MAX_COHORT_ENTRIES = 10_000
/** Sessions of a cohort that a mismatch lists; the others are counted. */
export const MAX_MISMATCHES_LISTED = 100
/** Rows per page of any connection. */
export const MAX_PAGE = 200
/** How far a filtered list is counted. */
export const COUNT_CAP = 10_000
/** Finished queue entries that a session still shows. */
export const MAX_FINISHED_ENTRIES_SHOWN = 100
/** How long a `clientRequestId` is remembered. */
export const CLIENT_REQUEST_MEMORY_MS = 7 * 24 * 3_600_000

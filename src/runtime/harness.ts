import type { GenerationId, IntentId, PermissionId, QueueId, RunId, ScopeId, SessionId } from '../kernel/ids.ts'
import type { Json, JsonObject } from '../kernel/json.ts'
import type { Answer, RefusalOf } from '../kernel/refusal.ts'
import type { CohortEntry } from '../domain/deletion/cohort.ts'
import type { EntrySnapshot } from '../domain/event/event.ts'
import type { SubagentDefinition } from '../domain/delegation/definition.ts'
import type { Grant } from '../domain/permission/grant.ts'
import type { Permission, PermissionDecision } from '../domain/permission/permission.ts'
import type { UncertainExecution } from '../domain/tool/execution.ts'
import type { Limits } from '../domain/limits.ts'
import type { Attachment, PromptOptions, WhenBusy } from '../domain/prompt/prompt.ts'
import type { BudgetInput } from '../domain/run/budget.ts'
import type { ModelIdentity } from '../domain/run/run.ts'
import type { Lifecycle } from '../domain/scope/lifecycle.ts'
import type { Scope } from '../domain/scope/scope.ts'
import type { LiveInboxes } from '../ports/live-inbox.ts'
import type { LiveRuns } from '../ports/live-run.ts'
import type { StoredSession } from '../ports/stores/sessions.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Subscriptions } from '../ports/subscriptions.ts'

/** Refusals that any verb may meet. */
export type CommonRefusal =
  | RefusalOf<'VALIDATION_FAILED'>
  | RefusalOf<'NOT_FOUND'>
  | RefusalOf<'SCOPE_FENCED'>
  | RefusalOf<'SCOPE_RETIRED'>
  | RefusalOf<'SHUTTING_DOWN'>
  | RefusalOf<'STORE_CONFLICT'>

/** Who asks: the id of an authenticated principal. */
export type Caller = { readonly principal: string }

export interface CreateSession {
  readonly scopeId: ScopeId
  /** A random UUID when absent. */
  readonly sessionId?: SessionId
  readonly generationId?: GenerationId
  readonly title?: string
  /** At most 16 KiB as JSON. */
  readonly metadata?: JsonObject
  /** The same id with the same input gives the same session, for 7 days; with another input it is refused. */
  readonly clientRequestId?: string
}

export interface EnqueuePrompt {
  readonly scopeId: ScopeId
  readonly sessionId: SessionId
  readonly text: string
  readonly attachments?: readonly Attachment[]
  readonly options?: Partial<Omit<PromptOptions, 'budget'>> & { readonly budget?: BudgetInput | null }
  readonly whenBusy?: WhenBusy
  readonly clientRequestId?: string
}

export interface CancelPrompt {
  readonly scopeId: ScopeId
  readonly sessionId: SessionId
  readonly queueId: QueueId
}

export interface AbortRun {
  readonly scopeId: ScopeId
  readonly sessionId: SessionId
  /** Only this run; the active one when absent. */
  readonly runId?: RunId
}

export interface AnswerPermission {
  readonly scopeId: ScopeId
  readonly permissionId: PermissionId
  readonly decision: PermissionDecision
  /** With `REJECT` only: denies this call alone, and is what the model is told. At most 2,048 UTF-8 bytes. */
  readonly message?: string
}

export interface RevokeGrant {
  readonly scopeId: ScopeId
  /** The session in which the grant is stored. */
  readonly sessionId: SessionId
  readonly rememberKey: string
}

/** What a person found out about an execution with an unknown outcome. */
export interface ReconcileToolExecution {
  readonly scopeId: ScopeId
  readonly intentId: IntentId
  readonly found:
    | { readonly outcome: 'SUCCEEDED'; readonly output: Json }
    /** At most 2,048 UTF-8 bytes. */
    | { readonly outcome: 'FAILED'; readonly error: string }
    | { readonly outcome: 'NOT_EXECUTED' }
}

export interface DeleteSession {
  readonly scopeId: ScopeId
  readonly sessionId: SessionId
}

export interface DeleteSessionGenerationCohort {
  readonly scopeId: ScopeId
  /** The session at the top of what is to be deleted. */
  readonly root: CohortEntry
  /** All that may be deleted, the root included: 1 to 10,000 entries, each session once. */
  readonly authorizedCohort: readonly CohortEntry[]
}

export interface RetireScope {
  /** Any of the ids that stand for it. */
  readonly scopeId: ScopeId
}

export interface FenceScope {
  readonly scopeId: ScopeId
  /** A sentence that clients may read: at most 1,024 UTF-8 bytes. */
  readonly reason: string
}

/** What the harness is and can do. */
export interface HarnessInfo {
  readonly version: string
  readonly models: readonly ModelIdentity[]
  /** The agents to which runs may delegate, in the order in which they were configured. */
  readonly subagents: readonly SubagentDefinition[]
  readonly limits: Limits
}

/**
 * The harness: the one door for everything that changes a conversation. A verb answers when its change is durable.
 * What it answers with `ok: false` is safe to show; what it throws is a fault, to be masked.
 */
export interface Harness {
  readonly info: HarnessInfo
  /** Reading. Never changes anything, and never waits for a run. */
  readonly stores: Stores
  readonly subscriptions: Subscriptions
  readonly liveRuns: LiveRuns
  readonly liveInboxes: LiveInboxes
  /** Settles the runs that a stopped process left, and goes on with the queues. */
  start(): Promise<void>
  /**
   * Refuses new work, gives runs `graceMs` to end, interrupts the others durably; queued prompts stay. Rejects with all that
   * failed, as an `AggregateError`; calling again tries that again.
   */
  close(options?: { readonly graceMs?: number }): Promise<void>
  /** True while work is taken everywhere: the harness is open, and no scope is fenced. */
  readonly isHealthy: boolean
  /** What a scope id stands for, or undefined when it is refused. `scope` is undefined while nothing was stored in it. */
  openScope(scopeId: ScopeId, caller: Caller): Promise<OpenScope | undefined>
  /** The same for many, in their order, by one read. */
  openScopes(scopeIds: readonly ScopeId[], caller: Caller): Promise<readonly (OpenScope | undefined)[]>
  createSession(input: CreateSession, caller: Caller): Promise<Answer<StoredSession, CommonRefusal>>
  /**
   * Deletes a session with all below it, or goes on with a deletion that has begun. Answers when nothing of them is left,
   * with their ids, children first. What it throws leaves tombstones: calling again, or the next start, goes on.
   */
  deleteSession(input: DeleteSession, caller: Caller): Promise<Answer<readonly SessionId[], CommonRefusal>>
  /**
   * The same if all that it deletes is authorised in exactly its generation. True when nothing of it is left; false, and
   * nothing happened, when the root is not there in exactly its generation.
   */
  deleteSessionGenerationCohort(
    input: DeleteSessionGenerationCohort,
    caller: Caller,
  ): Promise<Answer<boolean, CommonRefusal | RefusalOf<'COHORT_MISMATCH'>>>
  enqueuePrompt(
    input: EnqueuePrompt,
    caller: Caller,
  ): Promise<Answer<EntrySnapshot, CommonRefusal | RefusalOf<'QUEUE_FULL'> | RefusalOf<'SESSION_BUSY'>>>
  /** True when the prompt was cancelled, or its run asked to stop; false when it was too late. */
  cancelPrompt(input: CancelPrompt, caller: Caller): Promise<Answer<boolean, CommonRefusal>>
  /** The run that was asked to stop; null when nothing ran that could still be stopped. */
  abortRun(input: AbortRun, caller: Caller): Promise<Answer<RunId | null, CommonRefusal>>
  /** Answers a request that waits. The request as it is then; a second answer is refused. */
  respondToPermission(
    input: AnswerPermission,
    caller: Caller,
  ): Promise<Answer<Permission, CommonRefusal | RefusalOf<'PERMISSION_STATE'>>>
  /** Takes an `ALWAYS` back: the next call asks again. The grant as it was. */
  revokeGrant(input: RevokeGrant, caller: Caller): Promise<Answer<Grant, CommonRefusal>>
  /** Says what became of an uncertain execution. It as it is then; a second reconciliation is refused. */
  reconcileToolExecution(
    input: ReconcileToolExecution,
    caller: Caller,
  ): Promise<Answer<UncertainExecution, CommonRefusal | RefusalOf<'RECONCILIATION_STATE'>>>
  /**
   * Cancels what waits and runs in the scope, ends its subscriptions after their last event, and forgets it; its data
   * stays, and its next use begins afresh. Answers when that is done; whoever asks at the same time shares it. Until then,
   * and when it fails, the scope takes no work; calling again goes on. Throws all that failed.
   */
  retireScope(input: RetireScope, caller: Caller): Promise<Answer<OpenScope, CommonRefusal>>
  /**
   * Takes no work in the scope and stops its runs, until what is stored of it has been verified; prompts that wait are kept.
   * Answers when that has begun.
   */
  fenceScope(input: FenceScope, caller: Caller): Promise<Answer<null, CommonRefusal>>
}

export interface OpenScope {
  readonly scopeId: ScopeId
  readonly storageKey: Scope['storageKey']
  readonly scope: Scope | undefined
  /** Whether it takes work. */
  readonly lifecycle: Lifecycle['kind']
}

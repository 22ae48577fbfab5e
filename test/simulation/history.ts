import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import type { Grant } from '../../src/domain/permission/grant.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'
import type { QueueId, RunId, SessionId } from '../../src/kernel/ids.ts'
import type { Answer } from '../../src/kernel/refusal.ts'
import type { AnswerPermission, EnqueuePrompt, ReconcileToolExecution } from '../../src/runtime/harness.ts'
import { failureClassOf } from '../../src/ports/stores/failure.ts'

/** What a client got to know of what became of his command. */
export type Fate<T> =
  | { readonly kind: 'pending' }
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly code: string }
  /** The command failed and nobody says whether it was carried out. */
  | { readonly kind: 'unknown'; readonly error: string }
  /** The command failed and was not carried out. */
  | { readonly kind: 'failed'; readonly error: string }

export type Asked =
  | {
      readonly verb: 'create'
      readonly sessionId: SessionId
      readonly clientRequestId: string | undefined
      fate: Fate<{ readonly generationId: string }>
    }
  | { readonly verb: 'enqueue'; readonly sessionId: SessionId; readonly input: EnqueuePrompt; fate: Fate<EntrySnapshot> }
  | { readonly verb: 'cancel'; readonly sessionId: SessionId; readonly queueId: QueueId; fate: Fate<boolean> }
  | { readonly verb: 'abort'; readonly sessionId: SessionId; fate: Fate<RunId | null> }
  | PersonAsked

/** What people say. Each says one thing only, so that his name tells whether it counted. */
export type PersonAsked =
  | { readonly verb: 'respond'; readonly sessionId: SessionId; readonly input: AnswerPermission; readonly by: string; fate: Fate<Permission> }
  | { readonly verb: 'reconcile'; readonly sessionId: SessionId; readonly input: ReconcileToolExecution; readonly by: string; fate: Fate<UncertainExecution> }
  | { readonly verb: 'revoke'; readonly sessionId: SessionId; readonly grant: Grant; fate: Fate<Grant> }

/** Everything that clients have asked for. */
export type History = readonly Asked[]

export async function fateOf<T>(answer: Promise<Answer<T>>): Promise<Fate<T>> {
  try {
    const given = await answer
    return given.ok ? { kind: 'done', value: given.value } : { kind: 'refused', code: given.refusal.code }
  } catch (error) {
    const failure = failureClassOf(error)
    const isKnown = failure === 'notCommitted' || failure === 'conflict'
    return { kind: isKnown ? 'failed' : 'unknown', error: `${failure}: ${String(error)}` }
  }
}

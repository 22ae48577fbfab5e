import type { IntentId, PermissionId, SessionKey } from '../kernel/ids.ts'
import type { Resolution } from '../domain/permission/permission.ts'

/** What people are asked: for an answer to a request, or what became of an execution. */
export interface Questions {
  readonly permissions: readonly PermissionId[]
  readonly executions: readonly IntentId[]
}

interface Waiting<Answer> {
  readonly session: SessionKey
  readonly tell: (answer: Answer) => void
}

/**
 * Where runs of this process wait for people.
 *
 * Owns who waits. An answer is handed out in the turn in which it became durable; an answer for which nobody waits here
 * is for another process, or for a run that is over. Who begins to wait for a question that was asked before has to look
 * at the store afterwards: the answer may have come earlier.
 */
export class Desk {
  readonly #permissions = new Map<PermissionId, Waiting<Resolution>>()
  readonly #executions = new Map<IntentId, Waiting<void>>()

  /** The answer to a request. Whoever waits forgets it in the end. */
  expectAnswer(session: SessionKey, permissionId: PermissionId): Promise<Resolution> {
    const { promise, resolve: tell } = Promise.withResolvers<Resolution>()
    this.#permissions.set(permissionId, { session, tell })
    return promise
  }

  /** Resolves when the execution is reconciled. Whoever waits forgets it in the end. */
  expectReconciliation(session: SessionKey, intentId: IntentId): Promise<void> {
    const { promise, resolve: tell } = Promise.withResolvers<void>()
    this.#executions.set(intentId, { session, tell })
    return promise
  }

  answered(permissionId: PermissionId, resolution: Resolution): void {
    this.#permissions.get(permissionId)?.tell(resolution)
    this.#permissions.delete(permissionId)
  }

  reconciled(intentId: IntentId): void {
    this.#executions.get(intentId)?.tell()
    this.#executions.delete(intentId)
  }

  forgetAnswer(permissionId: PermissionId): void {
    this.#permissions.delete(permissionId)
  }

  forgetReconciliation(intentId: IntentId): void {
    this.#executions.delete(intentId)
  }

  /** What is waited for in a session. */
  waitedFor(key: SessionKey): Questions {
    const ids = <Id>(waiting: ReadonlyMap<Id, { readonly session: SessionKey }>): readonly Id[] =>
      [...waiting].filter(([, { session }]) => session === key).map(([id]) => id)
    return { permissions: ids(this.#permissions), executions: ids(this.#executions) }
  }
}

import type { IntentId, PermissionId, QueueId, SessionKey } from '../kernel/ids.ts'
import type { Child } from '../domain/delegation/delegation.ts'
import type { Resolution } from '../domain/permission/permission.ts'

/** What is waited for in a session: answers to requests, what became of executions, and prompts that were delegated to it. */
export interface Questions {
  readonly permissions: readonly PermissionId[]
  readonly executions: readonly IntentId[]
  /** Prompts of the session that a call of its parent waits for. */
  readonly children: readonly QueueId[]
}

/** News of a prompt that a call waits for. */
export interface ChildNews {
  /**
   * Resolves when the prompt has ended, or when what was executing it here does not do so any more: the store says which.
   * To be asked for before that is read.
   */
  next(): Promise<void>
  /** False when somebody else waits for the prompt by now. */
  forget(): boolean
}

interface Waiting<Answer> {
  readonly session: SessionKey
  readonly tell: (answer: Answer) => void
}

/**
 * Where runs of this process wait for people, and for children.
 *
 * Owns who waits. An answer is handed out in the turn in which it became durable; an answer for which nobody waits here
 * is for another process, or for a run that is over. Who begins to wait for a question that was asked before has to look
 * at the store afterwards: the answer may have come earlier.
 */
export class Desk {
  readonly #permissions = new Map<PermissionId, Waiting<Resolution>>()
  readonly #executions = new Map<IntentId, Waiting<void>>()
  readonly #children = new Map<QueueId, Waiting<void>>()

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

  /** What happens to a child from now on. Whoever waits forgets it in the end. */
  expectChild({ sessionKey: session, queueId }: Child): ChildNews {
    let news = Promise.withResolvers<void>()
    const tell = () => {
      news.resolve()
      news = Promise.withResolvers()
    }
    const waiting = { session, tell }
    this.#children.set(queueId, waiting)
    return {
      next: () => news.promise,
      // Another attempt of the run may wait by now.
      forget: () => this.#children.get(queueId) === waiting && this.#children.delete(queueId),
    }
  }

  awaitsChild(queueId: QueueId): boolean {
    return this.#children.has(queueId)
  }

  /** The sessions of the children that are waited for. */
  childSessions(): ReadonlySet<SessionKey> {
    return new Set([...this.#children.values()].map(({ session }) => session))
  }

  childEnded(queueId: QueueId): void {
    this.#children.get(queueId)?.tell()
  }

  /** Tells who waits for children in a session that it is gone. */
  sessionGone(key: SessionKey): void {
    for (const { session, tell } of this.#children.values()) if (session === key) tell()
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
    return { permissions: ids(this.#permissions), executions: ids(this.#executions), children: ids(this.#children) }
  }
}

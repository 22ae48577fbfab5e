import type { IntentId, PermissionId } from '../kernel/ids.ts'
import type { Resolution } from '../domain/permission/permission.ts'

/** What people are asked for: an answer to a request, or what became of an execution. */
type Question = PermissionId | IntentId

/**
 * Where runs of this process wait for people.
 *
 * Owns who waits. An answer is handed out in the turn in which it became durable; an answer for which nobody waits here
 * is for another process, or for a run that is over. Who begins to wait for a question that was asked before has to look
 * at the store afterwards: the answer may have come earlier.
 */
export class Desk {
  readonly #waiting = new Map<Question, (answer: Resolution | undefined) => void>()

  /** The answer to a request. Whoever waits `forget`s it in the end. */
  expectAnswer(permissionId: PermissionId): Promise<Resolution> {
    const { promise, resolve } = Promise.withResolvers<Resolution>()
    this.#waiting.set(permissionId, (answer) => answer && resolve(answer))
    return promise
  }

  /** Resolves when the execution is reconciled. */
  expectReconciliation(intentId: IntentId): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(intentId, () => resolve())
    return promise
  }

  answer(question: Question, answer?: Resolution): void {
    this.#waiting.get(question)?.(answer)
    this.#waiting.delete(question)
  }

  forget(question: Question): void {
    this.#waiting.delete(question)
  }
}

/**
 * The prompts that are being prepared to run, while the application may be asked about them.
 *
 * Owns one signal for each of them. It aborts when the prompt waits no longer, or when nothing is let in any more; nobody
 * waits for the application then.
 */
import { AbortReason } from '../../kernel/abort.ts'
import type { QueueId, ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Entry } from '../../domain/prompt/entry.ts'

export interface Asking {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  readonly queueId: QueueId
}

const overtaken = new AbortReason('requested', 'The prompt waits no longer.')

export class Entrances {
  readonly #asking = new Map<Asking, AbortController>()

  /** Does the work for a prompt under its signal. What aborts from this turn on is heard. */
  async during<T>(asking: Asking, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    this.#asking.set(asking, controller)
    try {
      return await work(controller.signal)
    } finally {
      this.#asking.delete(asking)
    }
  }

  /** Looks at what is left of the queue of a session. */
  attend(sessionKey: SessionKey, entries: readonly Pick<Entry, 'queueId' | 'state'>[]): void {
    for (const [asking, controller] of this.#asking) {
      if (asking.sessionKey !== sessionKey) continue
      const waits = entries.some(({ queueId, state }) => queueId === asking.queueId && state.kind === 'queued')
      if (!waits) controller.abort(overtaken)
    }
  }

  /** Lets nobody in who is asking now: for the prompt, in the session, in the scope, or anywhere. */
  stop({ scopeKey, sessionKey, queueId }: Partial<Asking>, reason: AbortReason = overtaken): void {
    for (const [asking, controller] of this.#asking) {
      const isConcerned =
        (scopeKey === undefined || asking.scopeKey === scopeKey) &&
        (sessionKey === undefined || asking.sessionKey === sessionKey) &&
        (queueId === undefined || asking.queueId === queueId)
      if (isConcerned) controller.abort(reason)
    }
  }
}

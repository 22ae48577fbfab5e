/**
 * The prompts of subagents that ask the application to be let in.
 *
 * Owns one signal per session that has such a prompt. It aborts when the prompt waits no longer, or when nothing is let in
 * any more; nobody waits for the answer then.
 */
import { AbortReason } from '../../kernel/abort.ts'
import type { QueueId, ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Entry } from '../../domain/prompt/entry.ts'
import type { RunLease } from './run-lease.ts'

/** The prompt on whose behalf somebody asks. */
export interface Asking {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  readonly queueId: QueueId
}

const cancelled = new AbortReason('requested', 'The prompt waits no longer.')

export class Entrances {
  readonly #asking = new Map<Asking, AbortController>()

  /** Resolves when the prompt is let in. Rejects with what the application threw, or with the reason of an abort. */
  async enter(asking: Asking, lease: RunLease): Promise<void> {
    const controller = new AbortController()
    this.#asking.set(asking, controller)
    try {
      await lease.enter(controller.signal)
      controller.signal.throwIfAborted()
    } finally {
      this.#asking.delete(asking)
    }
  }

  /** Looks at what is left of the queue of a session. */
  attend(sessionKey: SessionKey, entries: readonly Pick<Entry, 'queueId' | 'state'>[]): void {
    for (const [asking, controller] of this.#asking) {
      if (asking.sessionKey !== sessionKey) continue
      const waits = entries.some(({ queueId, state }) => queueId === asking.queueId && state.kind === 'queued')
      if (!waits) controller.abort(cancelled)
    }
  }

  /** Lets nobody in who is asking now: in the session, in the scope, or anywhere. */
  stop(reason: AbortReason, owner: Partial<Pick<Asking, 'scopeKey' | 'sessionKey'>> = {}): void {
    const { scopeKey, sessionKey } = owner
    for (const [asking, controller] of this.#asking) {
      const isConcerned =
        (scopeKey === undefined || asking.scopeKey === scopeKey) &&
        (sessionKey === undefined || asking.sessionKey === sessionKey)
      if (isConcerned) controller.abort(reason)
    }
  }

  /** The sessions whose prompts are asking. */
  sessions(): readonly SessionKey[] {
    return [...this.#asking.keys()].map(({ sessionKey }) => sessionKey)
  }
}

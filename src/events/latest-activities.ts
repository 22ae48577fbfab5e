/**
 * The newest activity of each session that a consumer has not asked for yet. Owns at most 256: of more sessions, the
 * one that has waited longest is forgotten, as activities are ephemeral.
 */
import type { SessionKey } from '../kernel/ids.ts'
import type { ActivityChange } from '../ports/event-transport.ts'
import type { EventUpdate } from '../ports/subscriptions.ts'

const MAX_SESSIONS = 256

export class LatestActivities {
  readonly #updates = new Map<SessionKey, EventUpdate>()

  put(activity: ActivityChange, timestamp: number): void {
    const { sessionKey } = activity.session
    this.#updates.delete(sessionKey)
    this.#updates.set(sessionKey, { type: 'activity', activity, timestamp })
    if (this.#updates.size > MAX_SESSIONS) this.shift()
  }

  /** Takes the one that waits longest. */
  shift(): EventUpdate | undefined {
    const [oldest] = this.#updates
    if (oldest) this.#updates.delete(oldest[0])
    return oldest?.[1]
  }

  clear(): void {
    this.#updates.clear()
  }
}

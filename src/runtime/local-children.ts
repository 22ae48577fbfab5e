/**
 * The children of runs of this process: they are executed here, where their parents wait for them.
 *
 * Owns nothing. Invariant: what a call has left when it ended, because its run did, is ended as well, or is an orphan.
 */
import { AbortReason } from '../kernel/abort.ts'
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { Child } from '../domain/delegation/delegation.ts'
import type { RunOutcome } from '../domain/run/outcome.ts'
import type { AbortRequest, Run } from '../domain/run/run.ts'
import type { ContentEvent } from '../domain/session/content.ts'
import type { Admitter } from './admitter.ts'
import type { Orphans } from './orphans.ts'
import type { ChildWork } from './run/delegate/child-work.ts'
import type { RunStops } from './run-stops.ts'
import type { Plan, SessionActor } from './session-actor.ts'
import type { SessionKeys } from './session-keys.ts'

interface LocalSessions {
  actor(key: SessionKey): SessionActor
  recover(key: SessionKey): Promise<void>
  consider(key: SessionKey): Promise<void>
  isAttended(key: SessionKey): boolean
}

export interface LocalChildrenDeps {
  readonly keys: SessionKeys
  readonly admitter: Admitter
  readonly orphans: Orphans
  readonly stops: RunStops
  readonly sessions: LocalSessions
  /** Tells what is executed here of a session to stop; false when there is nothing. */
  readonly abortIn: (key: SessionKey, reason: AbortReason) => boolean
}

export class LocalChildren implements ChildWork {
  readonly #deps: LocalChildrenDeps

  constructor(deps: LocalChildrenDeps) {
    this.#deps = deps
  }

  nextKey(): Promise<SessionKey> {
    return this.#deps.keys.next()
  }

  begin({ sessionKey, queueId }: Child, context: unknown): Promise<void> {
    this.#deps.admitter.claims.keepContext(queueId, { key: sessionKey, context })
    return this.#deps.sessions.consider(sessionKey)
  }

  takeUp({ sessionKey, queueId }: Child, context: unknown): Promise<void> {
    this.#deps.admitter.claims.keepContext(queueId, { key: sessionKey, context })
    return this.#deps.sessions.recover(sessionKey)
  }

  async stop({ sessionKey, queueId }: Child, request: AbortRequest): Promise<void> {
    const { sessions, stops, abortIn } = this.#deps
    try {
      await sessions.actor(sessionKey).transact(async (content): Promise<Plan<null>> => {
        const { entries, run } = content
        if (!entries.some((entry) => entry.queueId === queueId)) return { kind: 'answer', value: null }
        const command =
          run?.queueId === queueId ? await stops.stop(content, run, request) : ({ type: 'cancel', queueId, request } as const)
        return { kind: 'change', commands: [command] }
      })
    } catch (error) {
      // What is executed here stops all the same, and its end is stored as soon as it can be.
      if (!abortIn(sessionKey, new AbortReason(request.kind, request.message))) throw error
    }
  }

  isUnderWay({ sessionKey }: Child): boolean {
    return this.#deps.sessions.isAttended(sessionKey) || this.#deps.admitter.considers(sessionKey)
  }

  isRefused(scopeKey: ScopeKey): boolean {
    return this.#deps.admitter.refuses(scopeKey)
  }

  end(child: Child, parent: Run, outcome: RunOutcome): Promise<void> {
    return this.#deps.stops.endChild(child, parent, outcome)
  }

  forget({ queueId }: Child): void {
    this.#deps.admitter.claims.forget(queueId)
  }

  /** Ends what is left of the children of calls that ended because their run did. */
  attend(scopeKey: ScopeKey, events: readonly ContentEvent[]): void {
    if (!events.some((event) => event.type === 'runChanged' && event.event.type === 'finished')) return
    for (const event of events) {
      const child = event.type === 'callChanged' && event.event.type === 'ended' ? event.part.child : null
      if (child) void this.#follow(scopeKey, child)
    }
  }

  async #follow(scopeKey: ScopeKey, { sessionKey }: Child): Promise<void> {
    const release = () => this.#deps.sessions.recover(sessionKey)
    await release().catch(() => {
      this.#deps.orphans.add({ scopeKey, sessionKey, what: 'a child that nobody waits for any more', release })
    })
  }
}

/**
 * Changes the content of one session: load, decide, commit, one change after another.
 *
 * Owns the mailbox and a cached copy of the content; the database is the truth. A conflict drops the copy, loads and
 * decides again, a bounded number of times. A decision that changes nothing meets no compare-and-set, so it is never
 * made about the copy alone: another process may have moved on. After each durable change it tells its owner, in the
 * same turn, so that what the session owes the world follows from what is durable and from nothing else.
 */
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { LifecycleRefusal } from '../domain/scope/lifecycle.ts'
import type { ContentCommand } from '../domain/session/commands.ts'
import type { Content, ContentEvent } from '../domain/session/content.ts'
import { decideTogether } from '../domain/session/decide.ts'
import type { ContentRefusal } from '../domain/session/decision.ts'
import type { RowWrite } from '../domain/session/writes.ts'
import { failureClassOf, StoreFailure } from '../ports/stores/failure.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Commit } from '../ports/stores/unit-of-work.ts'
import { commitOf } from './commit-of.ts'
import type { CommitOutcome } from './committer.ts'
import { loadContent } from './load-content.ts'
import { Mailbox } from './mailbox.ts'

/** What to do about the content as it is: change it, or answer without a change. */
export type Plan<T> =
  | {
      readonly kind: 'change'
      readonly commands: readonly [ContentCommand, ...ContentCommand[]]
      /** Rows that belong to the change and that no command knows of. */
      readonly rows?: readonly RowWrite[]
      /** What changes in other sessions of the scope in the same commit, each under its own compare-and-set. */
      readonly beside?: Beside
      /** Why the change may not be made; asked in the turn in which it is submitted. */
      readonly unless?: () => LifecycleRefusal | undefined
    }
  | { readonly kind: 'answer'; readonly value: T }

/** A part of a commit that is about other sessions. */
export type Beside = Omit<Commit, 'scopeKey'>

export type Change<T = never> =
  | { readonly kind: 'changed'; readonly before: Content; readonly after: Content }
  | { readonly kind: 'unchanged'; readonly why: string; readonly content: Content }
  | { readonly kind: 'refused'; readonly refusal: ContentRefusal }
  | { readonly kind: 'answered'; readonly value: T }
  /** The scope takes no work. */
  | { readonly kind: 'denied'; readonly refusal: LifecycleRefusal; readonly content: Content }
  /** There is no such session. */
  | { readonly kind: 'gone' }
  /** Others were faster, again and again. Nothing changed. */
  | { readonly kind: 'contended' }

/** A durable change: the content before and after, and what happened. */
export interface SessionChange {
  readonly before: Content
  readonly after: Content
  readonly events: readonly ContentEvent[]
}

export interface SessionActorDeps {
  readonly stores: Stores
  readonly submit: (commit: Commit) => Promise<CommitOutcome>
  /** Called after each durable change, before whoever asked for it hears of it. Must not throw. */
  readonly onChanged: (actor: SessionActor, change: SessionChange) => void
  /** Called when no job runs or waits. */
  readonly onIdle: (actor: SessionActor, content: Content | undefined) => void
}

/** Each conflict is somebody else's success, so this is how often others may overtake one change. */
const MAX_TRIES = 64

export class SessionActor {
  readonly key: SessionKey
  readonly #deps: SessionActorDeps
  readonly #mailbox = new Mailbox()
  #content: Content | undefined
  #told: number | undefined

  constructor(key: SessionKey, deps: SessionActorDeps) {
    this.key = key
    this.#deps = deps
  }

  /** Carries out commands as one change. Throws a `StoreFailure` when the store fails: then nothing changed. */
  ask(...commands: readonly [ContentCommand, ...ContentCommand[]]): Promise<Change> {
    return this.transact(() => ({ kind: 'change', commands }))
  }

  /** Like `ask`, with commands that depend on the content. `plan` may be called again after a conflict. */
  transact<T>(plan: (content: Content) => Plan<T> | Promise<Plan<T>>): Promise<Change<T>> {
    return this.#inTurn(() => this.#settle(plan))
  }

  /**
   * The revision up to which its owner has been told of every change; undefined when that is not known. Not the one of the
   * content that it knows: what others have changed comes in with that, untold.
   */
  get told(): number | undefined {
    return this.#told
  }

  /** Its owner knows everything up to this revision. */
  tellFrom(revision: number): void {
    this.#told = revision
  }

  /** The content as it is stored now; undefined when there is no such session. Fails as the stores do. */
  load(): Promise<Content | undefined> {
    return this.#inTurn(async () => {
      this.#content = await loadContent(this.#deps.stores, this.key)
      return this.#content
    })
  }

  async #inTurn<T>(job: () => Promise<T>): Promise<T> {
    try {
      return await this.#mailbox.run(job)
    } finally {
      if (this.#mailbox.isIdle) this.#deps.onIdle(this, this.#content)
    }
  }

  /** Drops the cached content, so that the next change loads it. */
  forget(): void {
    this.#content = undefined
  }

  /** Drops the cached content if the session is in the scope, so that the next change loads it. */
  dropIn(scopeKey: ScopeKey): void {
    if (this.#content?.session.scopeKey === scopeKey) this.#content = undefined
  }

  async #settle<T>(plan: (content: Content) => Plan<T> | Promise<Plan<T>>): Promise<Change<T>> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const isCopy = this.#content !== undefined
      const content = (this.#content ??= await loadContent(this.#deps.stores, this.key))
      if (!content) return { kind: 'gone' }
      const planned = await plan(content)
      if (planned.kind === 'answer') return { kind: 'answered', value: planned.value }
      const decision = decideTogether(content, planned.commands)
      if (decision.kind !== 'accepted' && isCopy) {
        this.#content = undefined
        continue
      }
      if (decision.kind === 'unchanged') return { ...decision, content }
      if (decision.kind === 'refused') return decision
      const refusal = planned.unless?.()
      if (refusal) return { kind: 'denied', refusal, content }
      const { commit, after } = commitOf(content, decision.events)
      if (await this.#commit(joined(commit, planned), after)) {
        if (this.#told === content.session.revision) this.#told = after.session.revision
        this.#deps.onChanged(this, { before: content, after, events: decision.events })
        return { kind: 'changed', before: content, after }
      }
    }
    return { kind: 'contended' }
  }

  /** False when the compare-and-set missed: the content has to be loaded again. */
  async #commit(commit: Commit, after: Content): Promise<boolean> {
    this.#content = undefined
    try {
      await this.#deps.submit(commit)
      this.#content = after
      return true
    } catch (error) {
      const failure = failureClassOf(error)
      if (failure === 'conflict' || failure === 'fenced') return false
      throw error instanceof StoreFailure ? error : new StoreFailure('notCommitted', 'The commit failed.', error)
    }
  }
}

/** Sessions are announced before the calls that they are made for. */
function joined(commit: Commit, { rows = [], beside }: Extract<Plan<never>, { kind: 'change' }>): Commit {
  return {
    ...commit,
    created: [...(beside?.created ?? []), ...commit.created],
    sessions: [...commit.sessions, ...(beside?.sessions ?? [])],
    rollUps: [...commit.rollUps, ...(beside?.rollUps ?? [])],
    rows: [...commit.rows, ...rows, ...(beside?.rows ?? [])],
    events: [...(beside?.events ?? []), ...commit.events],
  }
}

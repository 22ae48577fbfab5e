/**
 * Who listens to which sessions of a scope. Owns an index by path, so that an event costs a look-up per level of its
 * session and nothing per listener that does not listen there.
 */
import { isWithin, prefixesOf } from '../domain/session/session.ts'
import type { EventsSubscription } from '../ports/subscriptions.ts'

type Target = Pick<EventsSubscription, 'session'>

/** Whether a subscription is about what happens in the session at `path`. */
export function listensTo({ session }: Target, path: string): boolean {
  if (!session) return true
  return session.includeDescendants ? isWithin(session.path, path) : session.path === path
}

export class Audience<Listener extends { readonly subscription: Target }> {
  readonly #everywhere = new Set<Listener>()
  readonly #subtrees = new Map<string, Set<Listener>>()
  readonly #sessions = new Map<string, Set<Listener>>()

  add(listener: Listener): void {
    const { session } = listener.subscription
    if (!session) {
      this.#everywhere.add(listener)
      return
    }
    const index = session.includeDescendants ? this.#subtrees : this.#sessions
    const there = index.get(session.path)
    if (there) there.add(listener)
    else index.set(session.path, new Set([listener]))
  }

  delete(listener: Listener): void {
    const { session } = listener.subscription
    this.#everywhere.delete(listener)
    if (!session) return
    const index = session.includeDescendants ? this.#subtrees : this.#sessions
    const there = index.get(session.path)
    there?.delete(listener)
    if (there?.size === 0) index.delete(session.path)
  }

  /** Those who listen to the session at `path`, each once. */
  of(path: string): readonly Listener[] {
    const listeners = [...this.#everywhere, ...(this.#sessions.get(path) ?? [])]
    if (this.#subtrees.size === 0) return listeners
    return [...listeners, ...prefixesOf(path).flatMap((prefix) => [...(this.#subtrees.get(prefix) ?? [])])]
  }
}

import { decide, eventsOf, fold } from '../kernel/decider.ts'
import type { ScopeKey } from '../kernel/ids.ts'
import { type Lifecycle, type LifecycleCommand, lifecycleMachine, type LifecycleRefusal } from '../domain/scope/lifecycle.ts'

/**
 * Whether a scope takes work in this process, from its first use until it is retired; its next use has another life.
 *
 * Whoever begins work takes the life first, and asks it again in the turn in which he submits what he decided: so of what
 * is submitted after the life has ended, or while it is fenced, nothing begins work, whatever it waited for.
 */
export class ScopeLife {
  readonly scopeKey: ScopeKey
  readonly #onChanged: (life: ScopeLife) => void
  #state: Lifecycle = { kind: 'active' }

  constructor(scopeKey: ScopeKey, onChanged: (life: ScopeLife) => void) {
    this.scopeKey = scopeKey
    this.#onChanged = onChanged
  }

  get state(): Lifecycle {
    return this.#state
  }

  /** Why no work may begin now; undefined when it may. */
  get refusal(): LifecycleRefusal | undefined {
    const decision = decide(lifecycleMachine, this.#state, { type: 'admit' })
    return decision.kind === 'refused' ? decision.refusal : undefined
  }

  /** Carries out a command. False when nothing changed. */
  apply(command: LifecycleCommand): boolean {
    const events = eventsOf(decide(lifecycleMachine, this.#state, command))
    this.#state = fold(lifecycleMachine.evolve, this.#state, events)
    if (events.length > 0) this.#onChanged(this)
    return events.length > 0
  }
}

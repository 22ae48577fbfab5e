/** What a machine answers to a command. Nothing has happened yet: the caller commits the events. */
export type Decision<Event, Refused> =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'unchanged'; readonly why: string }
  | { readonly kind: 'refused'; readonly refusal: Refused }

type Kinded = { readonly kind: string }
type Tagged = { readonly type: string }

/** One cell for every pair of state kind and command. Nothing is optional, so a missing cell does not compile. */
export type DecisionTable<State extends Kinded, Command extends Tagged, Event, Refused> = {
  readonly [K in State['kind']]: {
    readonly [C in Command['type']]: (
      state: Extract<State, { kind: K }>,
      command: Extract<Command, { type: C }>,
    ) => Decision<Event, Refused>
  }
}

export interface Machine<State extends Kinded, Command extends Tagged, Event, Refused> {
  readonly table: DecisionTable<State, Command, Event, Refused>
  /** Total: an event that does not fit the state leaves it as it is. */
  readonly evolve: (state: State, event: Event) => State
}

/** Looks the cell up. The types of the table guarantee that it is there and fits. */
export function decide<S extends Kinded, C extends Tagged, E, R>(
  machine: Machine<S, C, E, R>,
  state: S,
  command: C,
): Decision<E, R> {
  const row = machine.table[state.kind as S['kind']]
  const cell = row[command.type as C['type']] as (state: S, command: C) => Decision<E, R>
  return cell(state, command)
}

export function fold<S, E>(evolve: (state: S, event: E) => S, state: S, events: readonly E[]): S {
  return events.reduce(evolve, state)
}

export const accepted = <const E>(...events: readonly E[]): { kind: 'accepted'; events: readonly E[] } => ({
  kind: 'accepted',
  events,
})

export const unchanged = (why: string): { kind: 'unchanged'; why: string } => ({ kind: 'unchanged', why })

export const refused = <R>(refusal: R): { kind: 'refused'; refusal: R } => ({ kind: 'refused', refusal })

/** The events of a decision; none unless it was accepted. */
export const eventsOf = <E, R>(decision: Decision<E, R>): readonly E[] =>
  decision.kind === 'accepted' ? decision.events : []

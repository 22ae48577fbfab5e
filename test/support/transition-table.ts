import type { Decision } from '../../src/kernel/decider.ts'

/** What a cell is to answer, without its words: the events, that nothing changes, or the code of the refusal. */
export type Expected<Event> = readonly Event[] | 'unchanged' | { readonly refused: string }

/** One sample of every kind of state, and of every type of command or event. */
export type OfEveryKind<T extends { readonly kind: string }> = { readonly [K in T['kind']]: Extract<T, { kind: K }> }
export type OfEveryType<T extends { readonly type: string }> = { readonly [K in T['type']]: Extract<T, { type: K }> }

/** A complete table: a missing cell does not compile. */
export type TransitionTable<
  State extends { readonly kind: string },
  Column extends { readonly type: string },
  Value,
> = Record<State['kind'], Record<Column['type'], Value>>

/** Every cell of a table, for `test.each`. */
export function cellsOf<Row extends string, Column extends string, Value>(
  table: Readonly<Record<Row, Readonly<Record<Column, Value>>>>,
): readonly { readonly row: Row; readonly column: Column; readonly value: Value }[] {
  return keysOf(table).flatMap((row) =>
    keysOf(table[row]).map((column) => ({ row, column, value: table[row][column] })),
  )
}

export function answerOf<Event>(decision: Decision<Event, { readonly code: string }>): Expected<Event> {
  switch (decision.kind) {
    case 'accepted':
      return decision.events
    case 'unchanged':
      return 'unchanged'
    case 'refused':
      return { refused: decision.refusal.code }
  }
}

/** The state after an event, or `same` when it is the very state that it was. */
export function evolved<State, Event>(
  { evolve }: { readonly evolve: (state: State, event: Event) => State },
  state: State,
  event: Event,
): State | 'same' {
  const after = evolve(state, event)
  return after === state ? 'same' : after
}

const keysOf = <Key extends string>(record: Readonly<Record<Key, unknown>>): readonly Key[] =>
  Object.keys(record) as Key[]

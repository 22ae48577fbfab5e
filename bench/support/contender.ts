/** Milliseconds from the question. */
export interface RunTimes {
  readonly firstDelta: number
  readonly end: number
}

/** Somewhere to ask the same model again and again. */
export interface Conversation extends AsyncDisposable {
  /** Resolves when the whole answer, of so many deltas, was received. Fails when it is not what was asked for. */
  ask(deltas: number): Promise<RunTimes>
}

/** One of those whose runs are compared. */
export interface Contender extends AsyncDisposable {
  readonly name: string
  conversation(): Promise<Conversation>
}

export function assertLength(length: number, expected: number): void {
  if (length !== expected) throw new Error(`The answer has ${length} characters instead of ${expected}.`)
}

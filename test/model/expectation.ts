export type SessionName = 'a' | 'b'
export const sessionNames: readonly SessionName[] = ['a', 'b']

export type Outcome = 'COMPLETED' | 'FAILED' | 'CANCELLED'

/** What the reference model expects of a session: which prompts wait, and which one runs. */
export interface Expectation {
  readonly waiting: string[]
  running: string | undefined
  readonly finished: Map<string, Outcome>
}

export type Expectations = Readonly<Record<SessionName, Expectation>>

const nothing = (): Expectation => ({ waiting: [], running: undefined, finished: new Map() })

export const expectNothing = (): Expectations => ({ a: nothing(), b: nothing() })

/** Once a run has ended, the next prompt that waits begins at once. */
export const goOn = (session: Expectation): void => {
  session.running = session.waiting.shift()
}

export const end = (session: Expectation, outcome: Outcome): void => {
  if (session.running === undefined) return
  session.finished.set(session.running, outcome)
  goOn(session)
}

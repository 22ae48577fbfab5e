import type { RunOutcome } from '../../domain/run/outcome.ts'

/** Thrown inside of a run to end it with a known outcome. */
export class RunEnd extends Error {
  override readonly name = 'RunEnd'
  readonly outcome: RunOutcome

  constructor(outcome: RunOutcome) {
    super(outcome.status)
    this.outcome = outcome
  }
}

/** Thrown inside of a run that is no longer ours: its executor stops at once and touches nothing. */
export class RunLost extends Error {
  override readonly name = 'RunLost'
}

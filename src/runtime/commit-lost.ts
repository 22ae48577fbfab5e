import { StoreFailure } from '../ports/stores/failure.ts'

/**
 * What the author of a commit is told when it could not be found out in time whether it is durable. It may or may not be,
 * or may yet be; `outcome` tells once that is known.
 */
export class CommitLost extends StoreFailure {
  readonly outcome: Promise<'committed' | 'absent'>

  constructor(outcome: CommitLost['outcome'], cause: unknown) {
    super('fatal', 'It is not known whether a commit is durable.', cause)
    this.outcome = outcome
  }
}

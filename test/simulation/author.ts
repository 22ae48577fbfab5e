/** The process that a commit comes from. */
export interface Author {
  readonly name: string
  /** As it calls itself in the runs that it executes. */
  readonly owner: string
  /** True once it was told to stop. */
  readonly isLeaving: boolean
  /** Faults that its store calls have met and that may make something fail. */
  readonly hardFaults: number
}

/** How much is measured. */
export interface Sizes {
  /** A multiplier of how often: 1 for figures, much less to see whether it works. */
  readonly effort: number
  readonly sessions: number
  readonly turns: number
}

/** `times` at full effort, at least `least`. */
export const often = ({ effort }: Sizes, times: number, least = 2): number =>
  Math.max(least, Math.round(times * effort))

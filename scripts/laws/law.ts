/** One numbered promise of the product, as `docs/LAWS.md` states it. */
export interface Law {
  readonly id: string
  readonly text: string
  /** The files whose tests enforce it. */
  readonly files: readonly string[]
}

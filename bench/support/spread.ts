/** What many measurements of the same thing come to. */
export interface Spread {
  readonly p50: number
  readonly p95: number
}

/** Fails when there is nothing to take it of. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = samples.toSorted((a, b) => a - b)
  const at = (share: number): number => {
    const sample = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
    if (sample === undefined) throw new Error('Nothing was measured.')
    return sample
  }
  return { p50: at(0.5), p95: at(0.95) }
}

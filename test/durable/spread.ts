/** The least, the middle and the largest of some numbers, for people. */
export function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  return `least ${sorted[0]}, median ${sorted[Math.floor(sorted.length / 2)]}, most ${sorted.at(-1)} of ${sorted.length}`
}

import type { SimulationReport } from './simulate.ts'

const LINES = 80

/** What somebody needs to know who looks for the reason: the last things that happened, and how to see them again. */
export function storyOf({ seed, trace, broken }: SimulationReport): string {
  const what = broken instanceof Error ? (broken.stack ?? broken.message) : String(broken)
  return [...trace.slice(-LINES), what, `seed ${seed}; again: npm run soak -- --seed ${seed} --runs 1`].join('\n')
}

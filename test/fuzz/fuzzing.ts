import fc from 'fast-check'
import { expect } from 'vitest'

const number = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** Multiplies the runs of every fuzz test, and the time that it may take. */
const factor = number('FUZZ_RUNS', 1)

/** What everybody runs who does not look for more, so that a change is judged by itself. Longer runs take a new seed. */
const USUAL_SEED = 20_300_101

const LONGEST_MS = 50_000
const LONGEST_CASE_MS = 20_000

/** The time limit of a fuzz test: what vitest waits for, which is more than the runs may take. */
export const patience = 2 * LONGEST_MS * Math.max(1, factor)

/**
 * Runs a property `runs` times, times `FUZZ_RUNS`. What fails is shown shrunk, with the command that repeats it:
 * `FUZZ_SEED` and `FUZZ_PATH` name a case. A case that takes longer than `LONGEST_CASE_MS` has failed.
 */
export async function expectHolds<Case>(property: fc.IAsyncProperty<Case>, runs: number): Promise<void> {
  const { FUZZ_RUNS: times, FUZZ_SEED: given, FUZZ_PATH: path } = process.env
  const seed = given ?? (times === undefined ? USUAL_SEED : undefined)
  const details = await fc.check(property, {
    numRuns: Math.ceil(runs * factor),
    endOnFailure: process.env['FUZZ_SHRINK'] === '0',
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(path !== undefined && { path }),
    // The time for shrinking is bounded as well: better a long counterexample than none.
    plugins: [fc.timeout(LONGEST_CASE_MS), fc.interruptAfterTimeLimit(LONGEST_MS * Math.max(1, factor))],
  })
  if (!details.failed) return
  const { testPath, currentTestName = '' } = expect.getState()
  const file = testPath?.slice(testPath.indexOf('test/fuzz/'))
  const variables = `FUZZ_SEED=${details.seed} FUZZ_PATH=${details.counterexamplePath}`
  const replay = `${variables} npx vitest run ${file} -t '${currentTestName.replaceAll("'", '.')}'`
  throw new Error(`${shown(details)}\n\nReplay: ${replay}`, { cause: details.errorInstance })
}

/** A case can be too deep to be shown. */
function shown<Case>(details: fc.RunDetails<Case>): string {
  try {
    return fc.defaultReportMessage(details) ?? 'It failed.'
  } catch (error) {
    return `A case failed that cannot be shown: ${String(error)}`
  }
}

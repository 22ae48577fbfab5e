import { expect } from 'vitest'

/** What everybody runs who does not look for more, so that a change is judged by itself. Long runs take a new seed. */
const USUAL_SEED = 20_300_101

const { FAULTS_LONG, FAULTS_SEED } = process.env

/** `FAULTS_LONG=1` looks for what is rare. */
export const isLong = FAULTS_LONG === '1'

/** `FAULTS_SEED` repeats the faults of a run; what meets them depends on the machine. */
export const faultsSeed = (): number =>
  FAULTS_SEED === undefined ? (isLong ? Math.floor(Math.random() * 2 ** 31) : USUAL_SEED) : Number(FAULTS_SEED)

/** Says how to run the current test with these faults again. */
export function replay(seed: number): string {
  const { testPath, currentTestName = '' } = expect.getState()
  const file = testPath?.slice(testPath.indexOf('test/faults/'))
  const variables = `FAULTS_SEED=${seed}${isLong ? ' FAULTS_LONG=1' : ''}`
  return `Replay: ${variables} npx vitest run ${file} -t '${currentTestName.replaceAll("'", '.')}'`
}

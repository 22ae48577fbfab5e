/** Compares `docs/LAWS.md` with the titles of the tests and fails, with a list, when they disagree. */
import { globSync, readFileSync } from 'node:fs'
import { disagreements } from './laws/disagreements.ts'
import { lawTests } from './laws/law-tests.ts'
import { parseLaws } from './laws/parse-laws.ts'

const { laws, problems } = parseLaws(readFileSync('docs/LAWS.md', 'utf8'))
const files = globSync(['src/**/*.test.ts', 'test/**/*.ts'], { exclude: ['**/generated/**'] }).toSorted()
const tests = files.flatMap((file) => lawTests(file, readFileSync(file, 'utf8')))
const found = [...problems, ...disagreements(laws, tests)]

for (const line of found) console.error(line)
if (found.length > 0) {
  console.error(`\ndocs/LAWS.md and the tests disagree in ${found.length} places.`)
  process.exitCode = 1
} else {
  console.log(`${laws.length} laws and the ${tests.length} tests that name them agree.`)
}

/**
 * Simulates many worlds, one after another, and says what was found: `npm run soak -- [--runs N | --minutes M] [--seed S]`.
 * Stops at the first world in which a law is broken, tells its story and how to see it again, and fails.
 */
import { parseArgs } from 'node:util'
import { simulate, type SimulationReport } from '../test/simulation/simulate.ts'
import { storyOf } from '../test/simulation/story.ts'

const PROGRESS_MS = 10_000
const { values } = parseArgs({
  options: { seed: { type: 'string' }, runs: { type: 'string' }, minutes: { type: 'string' } },
})

function numberOf(name: keyof typeof values, otherwise: number): number {
  const text = values[name]
  const number = text === undefined ? otherwise : Number(text)
  if (Number.isNaN(number) || number < 0) throw new RangeError(`--${name} must be a number.`)
  return number
}

const first = numberOf('seed', Math.floor(Math.random() * 1e9))
const runs = numberOf('runs', values.minutes === undefined ? 1_000 : Infinity)
const until = performance.now() + numberOf('minutes', Infinity) * 60_000

const counted = ['commands', 'acknowledged', 'commits', 'processes', 'executions', 'answers', 'reconciliations', 'resumptions'] as const
const totals: Record<'seeds' | (typeof counted)[number], number> = {
  seeds: 0,
  commands: 0,
  acknowledged: 0,
  commits: 0,
  processes: 0,
  executions: 0,
  answers: 0,
  reconciliations: 0,
  resumptions: 0,
}
const faults = new Map<string, number>()

function add(report: SimulationReport): void {
  totals.seeds++
  for (const name of counted) totals[name] += report[name]
  for (const [kind, count] of report.faults) faults.set(kind, (faults.get(kind) ?? 0) + count)
}

const uncertain = () =>
  ['lost', 'unanswered', 'zombie', 'late'].reduce((sum, kind) => sum + (faults.get(kind) ?? 0), 0)

function summary(): string {
  const counts = Object.entries(totals).map(([name, count]) => `${name} ${count}`)
  return [...counts, `uncertain commits ${uncertain()}`].join(', ')
}

console.log(`Base seed ${first}.`)
let told = performance.now()
for (let seed = first; totals.seeds < runs && performance.now() < until; seed++) {
  const report = await simulate(seed)
  add(report)
  if (report.broken !== undefined) {
    console.error(storyOf(report))
    process.exitCode = 1
    break
  }
  if (performance.now() - told < PROGRESS_MS) continue
  told = performance.now()
  console.log(summary())
}
console.log(`${summary()}.`)
console.log(`Faults: ${[...faults].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`).join(', ')}.`)
console.log(process.exitCode ? 'A law was broken.' : 'Lost or doubled: 0.')

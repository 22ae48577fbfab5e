/** Row f: how long a large subtree takes to be deleted, and for how long at a time that keeps everybody else waiting. */
import { copyFileSync } from 'node:fs'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { asScopeId, asSessionId, createHarness, memoryStores, pinoLog, prismaStores, systemClock } from '../src/index.ts'
import type { Stores } from '../src/ports/stores/stores.ts'
import { setTimeout } from 'node:timers/promises'
import { milliseconds } from './support/figures.ts'
import { populateTree, TREE_ROOT } from './support/populate-tree.ts'
import { SCOPE } from './support/population.ts'
import type { Report } from './support/report.ts'
import { scratchFolder } from './support/scratch.ts'
import { often, type Sizes } from './support/sizes.ts'
import { spreadOf } from './support/spread.ts'
import { timed } from './support/timed.ts'

const SESSIONS = 1_000
const TURNS = 5
const NANOSECONDS_PER_MS = 1e6
const MICROSECONDS_PER_MS = 1e3

interface Deletion {
  readonly elapsed: number
  /** Of this process. */
  readonly cpu: number
  /** The longest time for which nothing else ran. */
  readonly held: number
}

/** Measures what happens in this process while `work` goes on. */
async function observed(work: () => Promise<unknown>): Promise<Deletion> {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  delays.enable()
  const before = process.cpuUsage()
  const elapsed = await timed(work)
  const { user, system } = process.cpuUsage(before)
  delays.disable()
  return { elapsed, cpu: (user + system) / MICROSECONDS_PER_MS, held: delays.max / NANOSECONDS_PER_MS }
}

async function byHarness(stores: Stores): Promise<Deletion> {
  const harness = createHarness({ stores, log: pinoLog('warn'), models: { known: [], resolve: () => Promise.reject(new Error('Nobody asks a model.')) } })
  await harness.start()
  const input = { scopeId: asScopeId(SCOPE), sessionId: asSessionId(TREE_ROOT) }
  const observation = await observed(async () => {
    const answer = await harness.deleteSession(input, { principal: 'bench' })
    if (!answer.ok || answer.value.length !== SESSIONS) throw new Error('Not everything was deleted.')
  })
  await harness.close()
  return observation
}

/** All rows of all tables in one transaction, as whoever does not mind would do it. */
async function byHand(file: string): Promise<Deletion> {
  using db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON')
  const tables = ['TitleGram', 'QueueEntry', 'Run', 'Message', 'Part', 'LogEntry']
  const observation = await observed(async () => {
    const deletes = tables.map((table) => `DELETE FROM "${table}" WHERE "sessionKey" IN (SELECT "key" FROM "Session")`)
    const blank = `UPDATE "Event" SET "body" = NULL WHERE "sessionKey" IN (SELECT "key" FROM "Session")`
    db.exec(['BEGIN', ...deletes, blank, 'DELETE FROM "Session"', 'COMMIT'].join(';'))
    await setTimeout(2)
  })
  // It is one call, during which nothing else runs.
  return { ...observation, held: observation.elapsed }
}

export async function* deletion(sizes: Sizes): AsyncGenerator<Report> {
  using folder = scratchFolder()
  const full = path.join(folder.path, 'full.db')
  const stores = await prismaStores({ url: `file:${full}` })
  await populateTree(stores, { sessions: SESSIONS, turns: TURNS })
  await stores.close()
  let copies = 0
  const copy = (): string => {
    const file = path.join(folder.path, `${(copies += 1)}.db`)
    copyFileSync(full, file)
    return file
  }
  const contenders = {
    'by hand, in one transaction': () => byHand(copy()),
    SQLite: async () => {
      const opened = await prismaStores({ url: `file:${copy()}` })
      const done = await byHarness(opened)
      await opened.close()
      return done
    },
    memory: async () => {
      const opened = memoryStores({ clock: systemClock })
      await populateTree(opened, { sessions: SESSIONS, turns: TURNS })
      return byHarness(opened)
    },
  }
  const samples = new Map<string, Deletion[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let time = 0; time < often(sizes, 10); time++) {
    for (const [name, measure] of Object.entries(contenders)) samples.get(name)?.push(await measure())
  }
  yield {
    title: `f. Deleting ${SESSIONS.toLocaleString('en-US')} sessions with ${2 * TURNS} messages each`,
    about:
      'One tree in a scope of its own, ten children a session, each session with its finished runs: from the call to its ' +
      'answer, when nothing is left and everything is reported. Held is the longest time for which nothing else could run ' +
      'in the process. The baseline deletes the same rows of a copy of the same file, and keeps and reports nothing.',
    columns: ['', 'p50', 'p95', 'CPU p50', 'held p50', 'held p95'],
    rows: [...samples].map(([name, deletions]) => {
      const spread = (of: keyof Deletion) => spreadOf(deletions.map((one) => one[of]))
      const [elapsed, cpu, held] = [spread('elapsed'), spread('cpu'), spread('held')]
      return [name, ...[elapsed.p50, elapsed.p95, cpu.p50, held.p50, held.p95].map(milliseconds)]
    }),
  }
}

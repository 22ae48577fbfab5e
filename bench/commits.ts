/** Row d: how many commits each store makes durable, beside the same rows written by hand. */
import { postgresUrl, scratchDatabase } from '../test/support/postgres.ts'
import {
  type Committing,
  CONNECTIONS,
  groupedSqliteCommitting,
  MAX_WRITERS,
  memoryCommitting,
  postgresqlCommitting,
  rawPostgresqlCommitting,
  rawSqliteCommitting,
  sqliteCommitting,
} from './support/committing.ts'
import { perSecond, ratio } from './support/figures.ts'
import type { Report } from './support/report.ts'
import { scratchFolder } from './support/scratch.ts'
import type { Sizes } from './support/sizes.ts'
import { spreadOf } from './support/spread.ts'

const AT_ONCE = [1, 16, MAX_WRITERS]
const ROUNDS = 5
const ROUND_MS = 1000

export async function* commits({ effort }: Sizes): AsyncGenerator<Report> {
  using folder = scratchFolder()
  await using opened = new AsyncDisposableStack()
  const file = (name: string): string => `${folder.path}/${name}.db`
  const memory = opened.use(await memoryCommitting())
  const rawSqlite = opened.use(await rawSqliteCommitting(file('raw')))
  const grouped = opened.use(await groupedSqliteCommitting(file('grouped')))
  const sqlite = opened.use(await sqliteCommitting(file('store')))
  const postgresql = await postgresqlIn(opened)
  const all = [memory, rawSqlite, grouped, sqlite, ...postgresql]
  const cells = new Map(all.map((it): [Committing, string[]] => [it, []]))
  for (const writers of AT_ONCE) {
    const rates = await ratesOf(all, writers, ROUND_MS * effort)
    for (const [it, line] of cells) {
      const baseline = postgresql.includes(it) ? postgresql[0] : rawSqlite
      const [rate, byHand] = [rates.get(it) ?? 0, baseline && rates.get(baseline)]
      line.push(perSecond(rate), byHand === undefined || it === memory ? '' : ratio(rate, byHand))
    }
  }
  yield {
    title: 'd. Commits per second',
    about:
      'A commit is a finished part: a session under its compare-and-set, the part, an entry of the agent log, two ' +
      'numbered events. All are of one scope, each writer has a session of its own, and commits that wait are ' +
      'grouped as in the harness. By hand means prepared statements on the same schema: `node:sqlite` with one ' +
      'transaction per commit, and with one for all that come at once; `pg` with one per commit on ' +
      `${CONNECTIONS} connections. The stores write beside these rows a record by which an uncertain commit can be ` +
      `told. Medians of ${ROUNDS} rounds, by turns. Not measured: deciding what to commit.`,
    columns: ['', ...AT_ONCE.flatMap((writers) => [`${writers} at once`, '× by hand'])],
    rows: [
      ...Array.from(cells, ([{ name }, line]) => [name, ...line]),
      ...(postgresql.length > 0 ? [] : [['PostgreSQL: not reachable', ...AT_ONCE.flatMap(() => ['', ''])]]),
    ],
  }
}

/** By hand first; nobody when there is no server. */
async function postgresqlIn(opened: AsyncDisposableStack): Promise<readonly Committing[]> {
  if ((await postgresUrl()) === undefined) return []
  const [raw, store] = [await scratchDatabase(), await scratchDatabase()]
  opened.defer(() => raw.drop())
  opened.defer(() => store.drop())
  return [
    opened.use(await rawPostgresqlCommitting(raw.url)),
    opened.use(await postgresqlCommitting(store.url)),
  ]
}

/** Commits per second. */
async function ratesOf(
  all: readonly Committing[],
  writers: number,
  ms: number,
): Promise<ReadonlyMap<Committing, number>> {
  const found = new Map(all.map((it): [Committing, number[]] => [it, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [it, rates] of found) {
      const start = performance.now()
      const count = await it.commit(writers, ms)
      rates.push((count * 1000) / (performance.now() - start))
    }
  }
  return new Map(Array.from(found, ([it, rates]) => [it, spreadOf(rates).p50]))
}

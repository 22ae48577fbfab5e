/** Row c: whether what everybody does all day takes longer when there is a lot already. */
import { constants, copyFileSync } from 'node:fs'
import path from 'node:path'
import { type Child, startChild } from './support/child.ts'
import { milliseconds, ratio } from './support/figures.ts'
import { exampleOperation, post } from './support/operations.ts'
import { eventsOf, idOf, SCOPE, SESSIONS_PER_TREE } from './support/population.ts'
import { populatedDatabase } from './support/populated-database.ts'
import type { Report } from './support/report.ts'
import { scratchFolder } from './support/scratch.ts'
import { often, type Sizes } from './support/sizes.ts'
import { spreadOf } from './support/spread.ts'
import { timed } from './support/timed.ts'

const FEW = 100
/** A prime, to walk over the trees in no order. */
const STRIDE = 7919
const WARM_UPS = 5

interface Place {
  readonly child: Child
  readonly trees: number
}

interface Job {
  readonly name: string
  readonly query: string
  /** The variables for the tree with this number. */
  readonly variables: (tree: number) => object
}

const ofRoot = (tree: number) => ({ scope: SCOPE, session: idOf(tree, 0) })

const sessionsThat = (filter: string): string => `query Sessions($scope: ID!) {
  scope(id: $scope) { sessions(first: 20, filter: { ${filter} }) { totalCount edges { node { sessionId } } } }
}`

const sessionsByTitle = `query Sessions($scope: ID!, $title: String!) {
  scope(id: $scope) {
    sessions(first: 20, filter: { titleContains: $title }) { totalCount edges { node { sessionId } } }
  }
}`

const logOfSession = `query LogOfSession($scope: ID!, $session: ID!) {
  scope(id: $scope) { events(first: 100, sessionId: $session) { edges { node { type sequence } } } }
}`

const jobs: readonly Job[] = [
  { name: 'Dashboard', query: exampleOperation('08-dashboard'), variables: () => ({ scope: SCOPE }) },
  { name: 'Tree', query: exampleOperation('09-tree'), variables: ofRoot },
  { name: 'Conversation', query: exampleOperation('07-conversation'), variables: ofRoot },
  {
    name: 'Log, two types',
    query: exampleOperation('10-log'),
    variables: () => ({ scope: SCOPE, types: ['PROMPT_QUEUED', 'RUN_FINISHED'] }),
  },
  { name: 'sessions of a rare agent', query: sessionsThat('agent: "nobody"'), variables: () => ({ scope: SCOPE }) },
  { name: 'sessions by a rare title', query: sessionsThat('titleContains: "%"'), variables: () => ({ scope: SCOPE }) },
  {
    name: 'session by its title',
    query: sessionsByTitle,
    variables: (tree) => ({ scope: SCOPE, title: idOf(tree, 3) }),
  },
  { name: 'Log of one session', query: logOfSession, variables: ofRoot },
  {
    name: 'createSession',
    query: exampleOperation('01-create-session'),
    variables: () => ({ input: { scopeId: SCOPE } }),
  },
  {
    name: 'enqueue',
    query: exampleOperation('03-enqueue'),
    variables: (tree) => ({ input: { scopeId: SCOPE, sessionId: idOf(tree, 0), text: '1' } }),
  },
]

const count = (number: number): string => number.toLocaleString('en-US')

export async function* growth(sizes: Sizes): AsyncGenerator<Report> {
  using folder = scratchFolder()
  await using places = new AsyncDisposableStack()
  const open = async (sessions: number): Promise<Place & { readonly ready: number }> => {
    const copy = path.join(folder.path, `${sessions}.db`)
    copyFileSync(await populatedDatabase({ sessions, turns: sizes.turns }), copy, constants.COPYFILE_FICLONE)
    const start = performance.now()
    const child = places.use(await startChild('harness', `file:${copy}`))
    return { child, trees: sessions / SESSIONS_PER_TREE, ready: performance.now() - start }
  }
  const few = await open(FEW)
  const many = await open(sizes.sessions)
  const starts = [milliseconds(few.ready), '', milliseconds(many.ready), '', ratio(many.ready, few.ready), '']
  const rows = [['start of the process, once', ...starts]]
  for (const job of jobs) rows.push(await compared(job, { few, many, times: often(sizes, 200) }))
  const events = eventsOf(sizes)
  yield {
    title: `c. ${count(sizes.sessions)} sessions and ${count(events)} events beside ${FEW} sessions`,
    about:
      'All in one scope of a SQLite file, in trees of five, each session with its finished runs. The operations ' +
      'with a name are those of `examples/operations`; over HTTP, one at a time, by turns on a server for each ' +
      'database, over all trees. A rare agent and a rare title are such that no session has; the title of one session ' +
      'has much in common with all others. Enqueuing is measured to its answer, while the run begins. Not measured: a ' +
      'cold cache of the disk.',
    columns: ['', `${FEW} p50`, 'p95', `${count(sizes.sessions)} p50`, 'p95', '× p50', '× p95'],
    rows,
  }
}

interface Comparison {
  readonly few: Place
  readonly many: Place
  readonly times: number
}

async function compared({ name, query, variables }: Job, { few, many, times }: Comparison): Promise<string[]> {
  const measure = async ({ child, trees }: Place, time: number): Promise<number> => {
    const given = variables((time * STRIDE) % trees)
    const elapsed = await timed(() => post(child.url, query, given))
    await child.ask('settled')
    return elapsed
  }
  const samples = { few: [] as number[], many: [] as number[] }
  for (let time = -WARM_UPS; time < times; time++) {
    const [ofFew, ofMany] = [await measure(few, time + WARM_UPS), await measure(many, time + WARM_UPS)]
    if (time < 0) continue
    samples.few.push(ofFew)
    samples.many.push(ofMany)
  }
  const [less, more] = [spreadOf(samples.few), spreadOf(samples.many)]
  return [
    name,
    milliseconds(less.p50),
    milliseconds(less.p95),
    milliseconds(more.p50),
    milliseconds(more.p95),
    ratio(more.p50, less.p50),
    ratio(more.p95, less.p95),
  ]
}

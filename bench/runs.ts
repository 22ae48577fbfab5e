/** Row a: what a run costs, from the prompt to its end, beside the SDK with the same provider. */
import { bareStream } from './support/bare-stream.ts'
import type { Contender, Conversation, RunTimes } from './support/contender.ts'
import { milliseconds, perSecond, ratio } from './support/figures.ts'
import type { Report } from './support/report.ts'
import { scratchFolder } from './support/scratch.ts'
import { sdkAlone } from './support/sdk-alone.ts'
import { often, type Sizes } from './support/sizes.ts'
import { spreadOf } from './support/spread.ts'
import { timed } from './support/timed.ts'
import { wholeServer } from './support/whole-server.ts'

const PARALLEL = 16
const ROUNDS = 3

export async function* runs(sizes: Sizes): AsyncGenerator<Report> {
  using folder = scratchFolder()
  await using contenders = new AsyncDisposableStack()
  const all = [
    contenders.use(sdkAlone()),
    contenders.use(await bareStream()),
    contenders.use(await wholeServer('whole server, in memory', 'memory')),
    contenders.use(await wholeServer('whole server, SQLite file', `file:${folder.path}/runs.db`)),
  ]
  await oneAfterAnother(all, { deltas: 10, times: often(sizes, 30) })
  yield await compared(all, { deltas: 10, times: often(sizes, 100), perSession: often(sizes, 10, 1) })
  yield await compared(all, { deltas: 5000, times: often(sizes, 10), perSession: 1 })
}

interface Plan {
  readonly deltas: number
  readonly times: number
}

async function compared(
  all: readonly Contender[],
  plan: Plan & { readonly perSession: number },
): Promise<Report> {
  const times = await oneAfterAnother(all, plan)
  const rates = await inParallel(all, { deltas: plan.deltas, times: plan.perSession })
  const measured = all.map((contender) => ({
    name: contender.name,
    first: spreadOf((times.get(contender) ?? []).map(({ firstDelta }) => firstDelta)),
    end: spreadOf((times.get(contender) ?? []).map(({ end }) => end)),
    rate: spreadOf(rates.get(contender) ?? []).p50,
  }))
  const baseline = measured[1] ?? measured[0]
  return {
    title: `a. A run of ${plan.deltas.toLocaleString('en-US')} deltas`,
    about:
      `From the prompt to the end of the run, answers checked: ${plan.times} runs one after another, each in a new ` +
      `session, all contenders by turns; then ${PARALLEL} sessions at once with ${plan.perSession} each, one by ` +
      'one. The servers are processes of their own, asked by this one over HTTP; the whole server by POST, and ' +
      'watched over WebSocket. It stores everything and builds the context from the conversation, the others ' +
      'forget. Not measured: creating sessions, subscribing, a provider that takes time.',
    columns: ['', 'first delta p50', 'p95', 'run p50', 'p95', '× bare HTTP', 'parallel', '× bare HTTP'],
    rows: measured.map(({ name, first, end, rate }) => [
      name,
      milliseconds(first.p50),
      milliseconds(first.p95),
      milliseconds(end.p50),
      milliseconds(end.p95),
      ratio(end.p50, baseline?.end.p50 ?? 0),
      perSecond(rate),
      ratio(rate, baseline?.rate ?? 0),
    ]),
  }
}

/** Taking turns, so that whatever else the machine does falls on all of them. */
async function oneAfterAnother(
  all: readonly Contender[],
  { deltas, times }: Plan,
): Promise<ReadonlyMap<Contender, readonly RunTimes[]>> {
  const found = new Map(all.map((contender): [Contender, RunTimes[]] => [contender, []]))
  for (let time = 0; time < times; time++) {
    for (const [contender, runTimes] of found) {
      await using conversation = await contender.conversation()
      runTimes.push(await conversation.ask(deltas))
    }
  }
  return found
}

/** Runs per second, several times. */
async function inParallel(
  all: readonly Contender[],
  { deltas, times }: Plan,
): Promise<ReadonlyMap<Contender, readonly number[]>> {
  const found = new Map(all.map((contender): [Contender, number[]] => [contender, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [contender, rates] of found) {
      await using sessions = new AsyncDisposableStack()
      const conversations: Conversation[] = []
      for (let i = 0; i < PARALLEL; i++) conversations.push(sessions.use(await contender.conversation()))
      const elapsed = await timed(() =>
        Promise.all(
          conversations.map(async (conversation) => {
            for (let time = 0; time < times; time++) await conversation.ask(deltas)
          }),
        ),
      )
      rates.push((PARALLEL * times * 1000) / elapsed)
    }
  }
  return found
}

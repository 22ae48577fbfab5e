/** Row b: what it costs to tell many what happens, beside a broadcast that does nothing else. */
import { type Child, startChild } from './support/child.ts'
import { microseconds, perSecond, ratio } from './support/figures.ts'
import { exampleOperation, post } from './support/operations.ts'
import type { Report } from './support/report.ts'
import { often, type Sizes } from './support/sizes.ts'
import { type Audience, bareAudience, subscribedAudience } from './support/audience.ts'

const SCOPE = 'default'
const SESSION = 'watched'
const FEW = 1
const MANY = 1000
const WARM_UP_SHARE = 5

/** What is told to how many. */
interface Plan {
  readonly subscribers: number
  /** Happenings: events, or deltas. */
  readonly count: number
}

interface Told {
  /** Milliseconds. */
  readonly elapsed: number
  readonly cpu: number
  readonly frames: number
  /** One of them, to broadcast it. */
  readonly frame: string
}

export async function* fanOut(sizes: Sizes): AsyncGenerator<Report> {
  const [events, deltas] = [often(sizes, 200), often(sizes, 2000, 20)]
  yield {
    title: 'b. Events to subscribers in another process',
    about:
      'Everybody subscribes to the scope over a WebSocket of its own. Events are durable: sessions that are ' +
      'created, all at once; each subscriber gets all of them. Deltas are those of one run, as fast as they come; ' +
      'what a subscriber has not taken yet is merged into one frame. The baseline is a bare `ws` server that sends ' +
      'the same frame as often as something happens, from a buffer made before. A delivery is an event, or a delta, ' +
      'merged or not, that reached one subscriber; CPU is that of the server, with the creating and the run in it. ' +
      'The store is in memory. Not measured: networks, and clients that read JSON.',
    columns: ['', 'deliveries', 'frames', '× bare', 'CPU per delivery', 'bare'],
    rows: [
      await row('events', { subscribers: FEW, count: events * 10 }),
      await row('deltas', { subscribers: FEW, count: deltas * 10 }),
      await row('events', { subscribers: MANY, count: events }),
      await row('deltas', { subscribers: MANY, count: deltas }),
    ],
  }
}

async function row(what: 'events' | 'deltas', plan: Plan): Promise<readonly string[]> {
  const told = what === 'events' ? await eventsTold(plan) : await deltasTold(plan)
  const bare = await broadcast(plan, told.frame)
  const deliveries = plan.subscribers * plan.count
  const rate = (deliveries * 1000) / told.elapsed
  const bareRate = (deliveries * 1000) / bare.elapsed
  return [
    `${plan.count.toLocaleString('en-US')} ${what} to ${plan.subscribers.toLocaleString('en-US')}`,
    perSecond(rate),
    perSecond((told.frames * 1000) / told.elapsed),
    `${ratio(rate, bareRate)} (${perSecond(bareRate)})`,
    microseconds((told.cpu * 1000) / deliveries),
    microseconds((bare.cpu * 1000) / deliveries),
  ]
}

/** How many happen before it is measured. */
const warmUp = (count: number): number => Math.ceil(count / WARM_UP_SHARE)

async function eventsTold({ subscribers, count }: Plan): Promise<Told> {
  await using child = await startChild('harness')
  await using audience = await subscribedAudience(child, subscribers)
  const tell = (events: number) =>
    audience.whileTold(subscribers * events, () => child.ask('createSessions', events))
  await tell(warmUp(count))
  return await measured(child, audience, () => tell(count))
}

async function deltasTold({ subscribers, count }: Plan): Promise<Told> {
  await using child = await startChild('harness')
  await post(child.url, exampleOperation('01-create-session'), { input: { scopeId: SCOPE, sessionId: SESSION } })
  await using audience = await subscribedAudience(child, subscribers)
  const run = (deltas: number) =>
    audience.untilAllHave('RUN_FINISHED', () =>
      post(child.url, exampleOperation('03-enqueue'), {
        input: { scopeId: SCOPE, sessionId: SESSION, text: String(deltas) },
      }),
    )
  await run(warmUp(count))
  return await measured(child, audience, () => run(count))
}

async function broadcast({ subscribers, count }: Plan, frame: string): Promise<Told> {
  await using child = await startChild('broadcast')
  await using audience = await bareAudience(child, subscribers)
  const tell = (times: number) =>
    audience.whileTold(subscribers * times, () => child.ask('broadcast', { frame, times }))
  await tell(warmUp(count))
  return await measured(child, audience, () => tell(count))
}

async function measured(child: Child, audience: Audience, tell: () => Promise<unknown>): Promise<Told> {
  const [cpuBefore, framesBefore, start] = [Number(await child.ask('cpu')), audience.frames, performance.now()]
  await tell()
  const elapsed = performance.now() - start
  const cpu = Number(await child.ask('cpu')) - cpuBefore
  return { elapsed, cpu, frames: audience.frames - framesBefore, frame: audience.typicalFrame }
}

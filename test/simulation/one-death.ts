/**
 * One conversation with tools, in which a process meets one misfortune at one commit; then another process goes on, or
 * it does so itself. People answer whatever they are asked. The checker looks at everything.
 */
import { Mailbox } from '../../src/runtime/mailbox.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { Checker } from './checker.ts'
import { Clients } from './clients.ts'
import { random } from './random.ts'
import { SimulatedProcess, type SimulatedWorld, type WorldKind } from './simulated-process.ts'
import { Transcript } from './transcript.ts'
import type { Doom } from './weather.ts'

export interface OneDeath {
  /** What models say and what tools do. */
  readonly seed: number
  readonly kind: WorldKind
  /** Nothing goes wrong without one. */
  readonly doom?: Doom
}

export interface Aftermath {
  /** Commits of the process that it happens to. */
  readonly commits: number
  readonly executions: number
  readonly resumptions: number
}

const ROUNDS = 24
const ROUND_MS = 300
const SETTLING_MS = 20_000

/** Rejects with the first law that is broken. */
export async function oneDeath({ seed, kind, doom }: OneDeath): Promise<Aftermath> {
  const clock = virtualClock()
  const stores = memoryStores({ clock, ...(kind.isShared && { isShared: true }) })
  const [transcript, line, chances] = [new Transcript(), new Mailbox(), random(`one death ${seed}`)]
  const checker = new Checker({ stores, clock, transcript, recovery: kind.recovery })
  const [note, onLoss] = [() => undefined, () => undefined]
  const around = { kind, clock, stores, checker, line, transcript, note, onLoss, climate: 'mild', mutant: undefined } as const
  const world: SimulatedWorld = { ...around, random: chances.fork('processes'), faults: new Map() }
  const clients = new Clients({ hasTools: true, random: chances.fork('clients'), checker, line, note })
  const start = (name: string, calm: (process: SimulatedProcess) => void) => {
    const process = new SimulatedProcess(name, world)
    calm(process)
    return process
  }

  const first = start('p1', ({ weather }) => (doom ? weather.doom(doom) : weather.heal()))
  await clock.settle()
  let helper = kind.isShared ? start('p2', ({ weather }) => weather.heal()) : first
  clients.open(first)
  await clock.advance(ROUND_MS)
  const goOn = () => {
    if (helper.life.isDead) helper = start('p2', ({ weather }) => weather.heal())
  }
  for (let rounds = 0; rounds < ROUNDS; rounds++) {
    goOn()
    if (rounds % 8 === 0) await clients.askEverySession(first.isServing ? first : helper)
    // Long enough for others to think that it is dead.
    if (first.life.isPaused && rounds % 12 === 11) first.life.resume()
    clients.answerEverything(helper)
    await clock.advance(ROUND_MS)
  }
  first.life.resume()
  for (let rounds = 0; rounds === 0 || helper.life.isDead || clients.answerEverything(helper) > 0; rounds++) {
    goOn()
    for (const process of [first, helper]) process.beBrief()
    await clock.advance(SETTLING_MS)
  }
  await checker.expectSettled(clients.history, 'have answered')
  await clients.expectAnswered(helper)
  const { executions } = checker.outside
  return { commits: first.commits, executions, resumptions: checker.attempts.resumptions }
}

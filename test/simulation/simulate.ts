/**
 * One world that follows from a seed: processes on one store, clients that ask for things, and faults. It runs until
 * nothing goes on any more, heals, starts a last process and lets everything settle, with the checker looking at each
 * commit and at everything that was acknowledged. The same seed gives the same trace, to the last line.
 */
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { Mailbox } from '../../src/runtime/mailbox.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { Checker } from './checker.ts'
import { Clients } from './clients.ts'
import { holds } from './law-broken.ts'
import type { Mutant, WorldName } from './mutant.ts'
import { type Random, random } from './random.ts'
import { SimulatedProcess, type SimulatedWorld, type WorldKind } from './simulated-process.ts'
import { Transcript } from './transcript.ts'
import type { Climate, FaultKind } from './weather.ts'

export interface SimulationReport {
  readonly seed: number
  readonly trace: readonly string[]
  readonly commands: number
  readonly acknowledged: number
  readonly commits: number
  readonly processes: number
  /** Executions of tools. */
  readonly executions: number
  /** Answers of people to requests, and reconciliations, that counted. */
  readonly answers: number
  readonly reconciliations: number
  /** Runs that were begun again after their process had stopped. */
  readonly resumptions: number
  readonly faults: ReadonlyMap<FaultKind, number>
  /** What was broken; nothing when all laws hold. */
  readonly broken: unknown
}

/** Never rejects: what goes wrong is in the report. */
export async function simulate(seed: number, mutant?: Mutant): Promise<SimulationReport> {
  const simulation = new Simulation(seed, mutant)
  const broken = await simulation.run().then(() => undefined, (error: unknown) => error)
  return { seed, broken, ...simulation.totals }
}

type Deed = 'ask' | 'wait' | 'kill' | 'stop' | 'second' | 'pause' | 'resume' | 'blackout' | 'fence' | 'retire'

const usual = { ask: 200, wait: 25, second: 10, pause: 5, resume: 12, blackout: 3, fence: 2, retire: 1 }

const deeds: Readonly<Record<Climate, Readonly<Record<Deed, number>>>> = {
  mild: { ...usual, kill: 0, stop: 0, blackout: 12 },
  rough: { ...usual, kill: 6, stop: 5 },
  deadly: { ...usual, kill: 60, stop: 10, second: 30 },
}

/** Where there are no tools, runs are short, and nobody would notice how often they are begun again. */
const climates: Readonly<Record<'text' | 'tools', Readonly<Record<Climate, number>>>> = {
  text: { mild: 45, rough: 55, deadly: 0 },
  tools: { mild: 25, rough: 60, deadly: 15 },
}

const SETTLING_MS = 60_000
/** Between the answers of people who settle everything. */
const ANSWERING_MS = 10_000
/** More than all steps of all prompts that can wait ask for. */
const MOST_ROUNDS = 200

const worlds: Readonly<Record<WorldName, number>> = { text: 25, alone: 25, shared: 50 }

function kindOf(choice: Random, only: WorldName | undefined): WorldKind {
  const name = choice.weighted(worlds)
  const kind = only ?? name
  const recovery = choice.chance(80) && kind !== 'text' ? 'RESUME' : 'FAIL'
  return { hasTools: kind !== 'text', isShared: kind === 'shared', recovery }
}

class Simulation {
  readonly #trace: string[] = []
  readonly #random: Random
  readonly #world: SimulatedWorld
  readonly #clients: Clients
  readonly #processes: SimulatedProcess[] = []
  /** How many losses there had been when the last process that has started began to. */
  #covered = 0
  #losses = 0

  constructor(seed: number, mutant: Mutant | undefined) {
    this.#random = random(String(seed))
    const clock = virtualClock()
    const kind = kindOf(this.#random.fork('kind'), mutant?.world)
    const stores = memoryStores({ clock, ...(kind.isShared && { isShared: true }) })
    const transcript = new Transcript()
    const checker = new Checker({ stores, clock, transcript, recovery: kind.recovery })
    const note = (what: string) => this.#trace.push(`${clock.monotonic()} ${what}`)
    const line = new Mailbox()
    this.#world = {
      kind,
      clock,
      stores,
      checker,
      line,
      transcript,
      random: this.#random.fork('processes'),
      climate: this.#random.weighted(climates[kind.hasTools ? 'tools' : 'text']),
      faults: new Map(),
      mutant,
      note,
      onLoss: () => {
        this.#losses++
      },
    }
    this.#clients = new Clients({ hasTools: kind.hasTools, random: this.#random.fork('clients'), checker, line, note })
  }

  get totals(): Omit<SimulationReport, 'seed' | 'broken'> {
    const { faults, checker } = this.#world
    const { asked, acknowledged } = this.#clients
    const { resumptions } = checker.attempts
    return {
      trace: this.#trace,
      commands: asked,
      acknowledged,
      commits: this.#processes.reduce((sum, process) => sum + process.commits, 0),
      processes: this.#processes.length,
      executions: checker.outside.executions,
      answers: this.#clients.heard('respond'),
      reconciliations: this.#clients.heard('reconcile'),
      resumptions,
      faults,
    }
  }

  async run(): Promise<void> {
    const { checker } = this.#world
    this.#start()
    for (let steps = 15 + this.#random.below(this.#world.kind.hasTools ? 45 : 30); steps > 0 && !checker.isBroken; steps--) {
      await this.#do(this.#random.weighted(deeds[this.#world.climate]))
      await this.#elapse()
      await this.#clients.expectHistory()
    }
    await this.#calm()
    await this.#end()
  }

  get #alive(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ life }) => !life.isDead)
  }

  get #serving(): readonly SimulatedProcess[] {
    return this.#processes.filter(({ isServing }) => isServing)
  }

  async #do(deed: Deed): Promise<void> {
    const { clock } = this.#world
    const serving = this.#serving
    if (serving.length === 0) return this.#revive()
    const process = this.#random.pick(serving)
    switch (deed) {
      case 'ask':
        return this.#clients.ask(process)
      case 'wait':
        return clock.advance(this.#random.below(3_000))
      case 'kill':
        process.weather.count('kill')
        return process.life.die()
      case 'stop':
        process.weather.count('stop')
        return this.#stop(process)
      case 'second':
        return this.#alive.length < this.#mostProcesses ? void this.#start() : undefined
      case 'pause':
        process.weather.count('pause')
        return process.life.pause()
      case 'resume':
        return this.#resume()
      case 'blackout':
        return process.weather.blackOut(clock.monotonic() + this.#random.below(5_000))
      case 'fence':
        return process.fence()
      case 'retire':
        // Where others work in the scope as well, they would go on.
        return this.#mostProcesses === 1 ? process.retire() : undefined
    }
  }

  /** Where one process owns the stores, another one begins when it has died. */
  get #mostProcesses(): number {
    const { hasTools, isShared } = this.#world.kind
    return hasTools && !isShared ? 1 : 2
  }

  #start(): SimulatedProcess {
    const losses = this.#losses
    const process = new SimulatedProcess(`p${this.#processes.length + 1}`, this.#world)
    this.#world.note(`${process.name} is started`)
    this.#processes.push(process)
    void process.started.then(() => {
      if (process.isWell) this.#covered = Math.max(this.#covered, losses)
    })
    return process
  }

  #stop(process: SimulatedProcess): void {
    this.#world.note(`${process.name} is told to stop`)
    this.#world.onLoss()
    const over = (how: string) => {
      this.#world.onLoss()
      this.#world.note(`${process.name} ${how}`)
      process.life.die()
    }
    void process.stop(this.#random.below(2_000)).then(() => over('has stopped'), () => over('could not stop as it should, and exits'))
  }

  #resume(): void {
    for (const { life } of this.#processes) life.resume()
  }

  #revive(): void {
    if (this.#random.chance(50) && this.#alive.length < this.#mostProcesses) this.#start()
    else this.#resume()
  }

  #elapse(): Promise<void> {
    const { clock, kind } = this.#world
    // Where there are tools a run needs more time, in which it can be disturbed.
    return this.#random.chance(40) ? clock.settle() : clock.advance(this.#random.below(kind.hasTools ? 500 : 150))
  }

  /** No more faults. Whatever was lost with a process apart, everything comes to its end by itself, or waits for people. */
  async #calm(): Promise<void> {
    const { clock, checker, note } = this.#world
    note('the weather is calm')
    for (const process of this.#processes) {
      process.weather.heal()
      process.life.resume()
      process.beBrief()
    }
    await clock.advance(SETTLING_MS)
    for (const process of this.#serving) process.finishRetiring()
    await clock.advance(SETTLING_MS)
    if (this.#alive.some(({ isWell }) => !isWell)) this.#losses++
    const isWhole = this.#isWhole
    note(isWhole ? 'nothing was lost' : 'something was lost with a process')
    for (const process of this.#alive) {
      const { name, isLeaving, isStarting, isWell } = process
      await checker.look(() => holds(!isLeaving, 'R51: a process that is told to stop stops', name))
      await checker.look(() => holds(!isStarting || !isWell, 'R48: a process that starts settles what was left', name))
      if (isWell) await this.#clients.expectAnswered(process)
    }
    if (!isWhole) return this.#clients.expectHistory()
    await checker.expectSettled(this.#clients.history, 'may be asked')
    await this.#appease()
    await this.#expectQuiet()
  }

  async #expectQuiet(): Promise<void> {
    const { checker } = this.#world
    await checker.expectSettled(this.#clients.history, 'have answered')
    for (const process of this.#serving) await checker.look(() => checker.outside.expectReturned(process))
  }

  /** Whether somebody takes care of everything that was acknowledged. */
  get #isWhole(): boolean {
    if (this.#alive.some(({ isWell }) => !isWell)) return false
    return this.#world.kind.isShared ? this.#alive.length > 0 : this.#losses === this.#covered
  }

  /** People answer everything that they are asked, in any process, until nobody asks any more. */
  async #appease(): Promise<void> {
    const { clock, checker } = this.#world
    for (let rounds = 0; rounds < MOST_ROUNDS && !checker.isBroken; rounds++) {
      if (this.#clients.answerEverything(this.#random.pick(this.#serving)) === 0) return
      await clock.advance(ANSWERING_MS)
    }
  }

  /** A last process takes over and settles everything; then each session takes a prompt as if nothing had been. */
  async #end(): Promise<void> {
    const { clock, checker } = this.#world
    for (const { life } of this.#alive) life.die()
    const last = this.#start()
    last.weather.heal()
    last.beBrief()
    await clock.advance(SETTLING_MS)
    await checker.expectSettled(this.#clients.history, 'may be asked')
    await this.#appease()
    await this.#expectQuiet()
    await this.#clients.askEverySession(last)
    await clock.advance(SETTLING_MS)
    await this.#expectQuiet()
    await this.#clients.expectAnswered(last)
  }
}

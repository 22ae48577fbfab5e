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
import type { Mutant } from './mutants.ts'
import { type Random, random } from './random.ts'
import { SimulatedProcess, type SimulatedWorld } from './simulated-process.ts'
import { Transcript } from './talkative-models.ts'
import type { Climate, FaultKind } from './weather.ts'

export interface SimulationReport {
  readonly seed: number
  readonly trace: readonly string[]
  readonly commands: number
  readonly acknowledged: number
  readonly commits: number
  readonly processes: number
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

type Deed = 'ask' | 'wait' | 'kill' | 'stop' | 'second' | 'pause' | 'resume' | 'blackout'

const deeds: Readonly<Record<Climate, Readonly<Record<Deed, number>>>> = {
  mild: { ask: 200, wait: 25, kill: 0, stop: 0, second: 10, pause: 5, resume: 12, blackout: 12 },
  rough: { ask: 200, wait: 25, kill: 6, stop: 5, second: 10, pause: 5, resume: 12, blackout: 3 },
}

const MOST_PROCESSES = 2
const SETTLING_MS = 60_000

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
    const stores = memoryStores({ clock })
    const transcript = new Transcript()
    const checker = new Checker(stores, transcript)
    const note = (what: string) => this.#trace.push(`${clock.monotonic()} ${what}`)
    const line = new Mailbox()
    this.#world = {
      clock,
      stores,
      checker,
      line,
      transcript,
      random: this.#random.fork('processes'),
      climate: this.#random.chance(45) ? 'mild' : 'rough',
      faults: new Map(),
      mutant,
      note,
      onLoss: () => {
        this.#losses++
      },
    }
    this.#clients = new Clients({ random: this.#random.fork('clients'), checker, line, note })
  }

  get totals(): Omit<SimulationReport, 'seed' | 'broken'> {
    const commits = this.#processes.reduce((sum, process) => sum + process.commits, 0)
    const { asked, acknowledged } = this.#clients
    const { faults } = this.#world
    return { trace: this.#trace, commands: asked, acknowledged, commits, processes: this.#processes.length, faults }
  }

  async run(): Promise<void> {
    const { checker } = this.#world
    this.#start()
    for (let steps = 15 + this.#random.below(30); steps > 0 && !checker.isBroken; steps--) {
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
    if (serving.length === 0) return void (this.#random.chance(50) ? this.#start() : this.#resume())
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
        return this.#alive.length < MOST_PROCESSES ? void this.#start() : undefined
      case 'pause':
        process.weather.count('pause')
        return process.life.pause()
      case 'resume':
        return this.#resume()
      case 'blackout':
        process.weather.blackOut(clock.monotonic() + this.#random.below(5_000))
    }
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
    void process.stop(this.#random.below(2_000)).then(() => {
      this.#world.onLoss()
      this.#world.note(`${process.name} has stopped`)
      process.life.die()
    })
  }

  #resume(): void {
    for (const { life } of this.#processes) life.resume()
  }

  #elapse(): Promise<void> {
    const { clock } = this.#world
    return this.#random.chance(40) ? clock.settle() : clock.advance(this.#random.below(150))
  }

  /** No more faults. Whatever was lost with a process apart, everything comes to its end by itself. */
  async #calm(): Promise<void> {
    const { clock, checker, note } = this.#world
    note('the weather is calm')
    for (const { weather, life, models } of this.#processes) {
      weather.heal()
      life.resume()
      models.beBrief()
    }
    await clock.advance(SETTLING_MS)
    if (this.#alive.some(({ isWell }) => !isWell)) this.#losses++
    const isWhole = this.#losses === this.#covered
    note(isWhole ? 'nothing was lost' : 'something was lost with a process')
    for (const process of this.#alive) {
      const { name, isLeaving, isStarting, isWell } = process
      await checker.look(() => holds(!isLeaving, 'R51: a process that is told to stop stops', name))
      await checker.look(() => holds(!isStarting || !isWell, 'R48: a process that starts settles what was left', name))
      if (isWell) await this.#clients.expectAnswered(process)
    }
    if (isWhole) await checker.expectSettled(this.#clients.history)
    else await this.#clients.expectHistory()
  }

  /** A last process takes over and settles everything; then each session takes a prompt as if nothing had been. */
  async #end(): Promise<void> {
    const { clock, checker } = this.#world
    for (const { life } of this.#alive) life.die()
    const last = this.#start()
    last.weather.heal()
    last.models.beBrief()
    await clock.advance(SETTLING_MS)
    await checker.expectSettled(this.#clients.history)
    await this.#clients.askEverySession(last)
    await clock.advance(SETTLING_MS)
    await checker.expectSettled(this.#clients.history)
    await this.#clients.expectAnswered(last)
  }
}

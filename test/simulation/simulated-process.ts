import { eventHub } from '../../src/events/event-hub.ts'
import { inProcessTransport } from '../../src/events/in-process-transport.ts'
import { liveInboxes } from '../../src/events/live-inbox.ts'
import { liveRuns } from '../../src/events/live-run.ts'
import { createHarness } from '../../src/runtime/create-harness.ts'
import type { Harness } from '../../src/runtime/harness.ts'
import { asScopeId } from '../../src/kernel/ids.ts'
import { isLive } from '../../src/domain/run/run.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import type { Mailbox } from '../../src/runtime/mailbox.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { VirtualClock } from '../support/virtual-clock.ts'
import type { Author } from './author.ts'
import { BusyTools } from './busy-tools.ts'
import type { Checker } from './checker.ts'
import { expectContext, expectResults } from './laws/context-laws.ts'
import { Life } from './life.ts'
import type { Mutant } from './mutant.ts'
import type { Random } from './random.ts'
import { recordedStores } from './recorded-stores.ts'
import { TalkativeModels } from './talkative-models.ts'
import { toolPolicies } from './tool-kinds.ts'
import type { Transcript } from './transcript.ts'
import { type Climate, type FaultKind, Weather } from './weather.ts'
import { weatheredStores } from './weathered-stores.ts'

/** What kind of world it is. */
export interface WorldKind {
  /** Whether models have tools, and people are asked. */
  readonly hasTools: boolean
  /** Whether processes share the database and watch each other. */
  readonly isShared: boolean
  readonly recovery: RecoveryPolicy
}

/** What all processes of a simulation share. */
export interface SimulatedWorld {
  readonly kind: WorldKind
  readonly clock: VirtualClock
  readonly stores: Stores
  readonly checker: Checker
  readonly line: Mailbox
  readonly transcript: Transcript
  readonly random: Random
  readonly climate: Climate
  readonly faults: Map<FaultKind, number>
  readonly mutant: Mutant | undefined
  readonly note: (line: string) => void
  /** Something happened after which a process may have to be started for everything to go on. */
  readonly onLoss: () => void
}

const COMMIT_DEADLINE_MS = 1_000
const RESOLVE_DEADLINE_MS = 3_000
const MAX_STEPS = 4
const scopeId = asScopeId('default')
const operator = { principal: 'operator' }
/** Longer and shorter than the pauses that there are. */
const leases = { ttlMs: 1_500, takeOverMs: 400, lookMs: 200 }

/** A process with a harness of its own on the stores that all share. */
export class SimulatedProcess implements Author {
  readonly name: string
  readonly owner: string
  readonly harness: Harness
  readonly life: Life
  readonly weather: Weather
  readonly models: TalkativeModels
  readonly tools: BusyTools
  readonly started: Promise<void>
  #isLeaving = false
  #isStarting = true
  #interventions = 0
  #isRetiring = false
  readonly #note: (line: string) => void
  commits = 0

  constructor(name: string, world: SimulatedWorld) {
    this.name = name
    this.#note = world.note
    // The first id that a harness takes is its own.
    this.owner = `${name}-1`
    const random = world.random.fork(name)
    this.life = new Life(() => {
      world.note(`${name} dies`)
      world.onLoss()
    })
    this.weather = new Weather({ random: random.fork('weather'), climate: world.climate, counts: world.faults })
    const clock = this.life.clock(world.clock)
    const { transcript, mutant, checker, kind } = world
    const { attempts, outside } = checker
    checker.leases.begins(this.owner)
    this.models = new TalkativeModels({
      random: random.fork('models'),
      transcript,
      clock,
      attemptOf: ({ runId }) => ({ runId, epoch: attempts.epochOf(runId, this.owner) }),
      onAsked: ({ log: context }, { sessionId, runId }) => {
        const run = checker.states.get(sessionId)?.runs.find((candidate) => candidate.runId === runId)
        const look = () => {
          expectContext(context)
          if (run && isLive(run) && run.owner === this.owner) expectResults(context, runId)
        }
        void checker.look(look).catch(() => undefined)
      },
    })
    this.tools = new BusyTools({ random: random.fork('tools'), clock, life: this.life, outside, author: this })
    const reached = this.#stores(world)
    const stores = mutant?.seen?.(reached) ?? reached
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const transport = mutant?.transport?.(inProcessTransport({ log })) ?? inProcessTransport({ log })
    const subscriptions = eventHub({ stores, transport, clock, log })
    let ids = 0
    this.harness = createHarness({
      stores,
      models: this.models,
      transport,
      subscriptions,
      liveRuns: liveRuns({ subscriptions, stores, clock }),
      liveInboxes: liveInboxes({ subscriptions, stores }),
      ...(kind.hasTools && { tools: mutant?.tools?.(this.tools) ?? this.tools, policies: toolPolicies }),
      recovery: kind.recovery,
      leases,
      clock: mutant?.clock?.(clock) ?? clock,
      ids: { uuid: () => `${name}-${++ids}` },
      log,
      version: '0.0.0',
      limits: {
        maxConcurrentRuns: 1 + random.fork('slots').below(2),
        maxOutstandingPromptsPerSession: 6,
        maxSteps: MAX_STEPS,
        toolTimeoutMs: 3_000,
        abortDeadlineMs: 700,
      },
      commits: { commitDeadlineMs: COMMIT_DEADLINE_MS, resolveDeadlineMs: RESOLVE_DEADLINE_MS, maxRepeats: 2 },
    })
    this.started = this.#start(world)
  }

  get isLeaving(): boolean {
    return this.#isLeaving
  }

  /** True while it still has to settle what others have left. */
  get isStarting(): boolean {
    return this.#isStarting
  }

  get hardFaults(): number {
    return this.weather.hardFaults
  }

  /** True while clients reach it. */
  get isServing(): boolean {
    return !this.life.isDead && !this.life.isPaused && !this.#isLeaving
  }

  /** True while everything that it has begun will come to an end by itself. */
  get isWell(): boolean {
    return !this.life.isDead && !this.#isLeaving && this.harness.isHealthy
  }

  /** A retirement that failed is tried again. */
  finishRetiring(): void {
    if (this.#isRetiring) this.retire()
  }

  /** Whether somebody has ever fenced or retired the scope in it. */
  get wasHeld(): boolean {
    return this.#interventions > 0
  }

  fence(): void {
    this.#intervene('fence', this.harness.fenceScope({ scopeId, reason: 'To be sure.' }, operator))
  }

  retire(): void {
    this.#isRetiring = true
    this.#intervene('retirement', this.harness.retireScope({ scopeId }, operator))
  }

  /** From now on its models and tools answer at once. */
  beBrief(): void {
    this.models.beBrief()
    this.tools.beBrief()
  }

  stop(graceMs: number): Promise<void> {
    this.#isLeaving = true
    return this.harness.close({ graceMs })
  }

  #intervene(what: 'fence' | 'retirement', answer: Promise<unknown>): void {
    this.weather.count(what)
    this.#interventions++
    const { name } = this
    void answer.then(
      () => {
        if (what === 'retirement') this.#isRetiring = false
        this.#note(`${name} has answered to a ${what}`)
      },
      (error: unknown) => this.#note(`${name} has failed a ${what}: ${String(error)}`),
    )
  }

  async #start({ note, onLoss }: SimulatedWorld): Promise<void> {
    try {
      await this.harness.start()
      this.#isStarting = false
      note(`${this.name} has started`)
    } catch (error) {
      note(`${this.name} could not start: ${String(error)}`)
      onLoss()
      this.life.die()
    }
  }

  #stores(world: SimulatedWorld): Stores {
    const { checker, line, clock, note, onLoss, mutant } = world
    const onCommitted = (writeId: string) => {
      this.commits++
      note(`${this.name} has committed ${writeId}`)
      if (!this.isWell) onLoss()
    }
    const stores = mutant?.stores?.(world.stores) ?? world.stores
    const recorded = recordedStores(stores, { checker, line, author: this, onCommitted })
    const { life, weather } = this
    return weatheredStores(recorded, { life, weather, clock, patienceMs: COMMIT_DEADLINE_MS, note })
  }
}

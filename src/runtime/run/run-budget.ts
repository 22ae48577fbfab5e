/**
 * What one run spends, and how it ends when that is all it may.
 *
 * Owns the run's meter, the wait for its output, and the signal under which everything in the run is done. The run is at work
 * while it holds a slot: neither waiting for people nor standing in line for a slot is work. Invariant: from its making to its
 * disposal the meter goes exactly while there is a slot.
 */
import { AbortReason, LinkedController } from '../../kernel/abort.ts'
import { silentFor } from '../../domain/run/budget.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Count } from '../../domain/session/commands.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunSlot } from '../run-slot.ts'
import { IdleWatch } from './idle-watch.ts'
import type { Meter } from './meter.ts'
import type { Meters } from './meters.ts'
import { RunEnd } from './run-end.ts'

export interface RunBudgetDeps {
  readonly clock: Clock
  readonly meters: Meters
  readonly run: Run
  /** The run that has delegated to it. */
  readonly parent: RunId | null
  /** Tokens of the runs that earlier attempts have delegated to, and of those below. */
  readonly delegatedTokens: number
  readonly slot: RunSlot
  /** Aborts when the run is told to stop. */
  readonly signal: AbortSignal
  /** Makes a command of the run durable. */
  readonly commit: (command: Count) => Promise<void>
}

/** Milliseconds of work that are worth a change of their own. */
const WORTH_MS = 1_000
/** Milliseconds after which work of a run whose time is limited is made durable, whatever the run is at. */
const RECORD_EVERY_MS = 5_000

export class RunBudget implements Disposable {
  readonly #deps: RunBudgetDeps
  readonly #controller: LinkedController
  readonly #meter: Meter
  readonly #idle: IdleWatch
  readonly #unwatch: () => void
  #countedMs: number
  #cancel: (() => void) | undefined

  constructor(deps: RunBudgetDeps) {
    this.#deps = deps
    const { clock, meters, run, parent, delegatedTokens, slot, signal } = deps
    const { budget, usage, workedMs } = run
    const totalTokens = usage.totalTokens + delegatedTokens
    this.#controller = new LinkedController(signal)
    this.#countedMs = workedMs
    this.#meter = meters.open(run.runId, parent, { budget, before: { totalTokens, workedMs } })
    const onSilent = (ms: number) => this.#controller.abort(new AbortReason('exhausted', silentFor(ms)))
    this.#idle = new IdleWatch({ clock, idleMs: budget?.idleMs ?? null, onSilent })
    this.#unwatch = slot.watch((turn) => this.#turned(turn))
    if (budget?.wallClockMs) this.#recordLater()
  }

  /** Aborts when the run is told to stop, and when it was silent for too long. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Asked between steps. Throws `RunEnd` when nothing is left. */
  check(): void {
    const { end } = this.#meter
    if (end) throw new RunEnd(end)
  }

  /** A model call has used tokens. */
  use(tokens: number): void {
    this.#meter.use(tokens)
  }

  /** The run has said something. */
  heard(): void {
    this.#idle.heard()
  }

  /** Makes durable what the run has worked. Known already, it changes nothing. */
  count(): Count {
    const { clock, run } = this.#deps
    const { workedMs } = this.#meter.spent
    this.#countedMs = workedMs
    return { type: 'count', run: { runId: run.runId, epoch: run.epoch }, workedMs, at: clock.now() }
  }

  /** Makes durable what the run has worked, if that is worth a change. Rejects as that does. */
  async record(): Promise<void> {
    if (this.#meter.spent.workedMs - this.#countedMs >= WORTH_MS) await this.#deps.commit(this.count())
  }

  [Symbol.dispose](): void {
    this.#cancel?.()
    this.#unwatch()
    this.#deps.meters.close(this.#deps.run.runId, this.#meter)
    this.#controller[Symbol.dispose]()
  }

  /** A change that fails is made up for by the next one. */
  #recordLater(): void {
    this.#cancel = this.#deps.clock.after(RECORD_EVERY_MS, () => {
      this.#recordLater()
      this.record().catch(() => undefined)
    })
  }

  #turned(turn: 'at work' | 'waiting'): void {
    if (turn === 'at work') {
      this.#meter.start()
      this.#idle.start()
    } else {
      this.#meter.stop()
      this.#idle.stop()
    }
  }
}

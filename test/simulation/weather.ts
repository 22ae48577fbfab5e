import type { Random } from './random.ts'

/**
 * What may happen to a commit on its way:
 * - `refused`: the store says that it was not committed, and it was not.
 * - `conflicted`, `fenced`: the compare-and-set is said to have missed, without a reason.
 * - `lost`: it never reaches the store; its author does not know.
 * - `unanswered`: it is committed; its author does not know.
 * - `zombie`: its author is told that nobody knows, and it reaches the store later.
 * - `late`: it reaches the store after its author's patience.
 * - `twice`: it reaches the store twice.
 * - `crashBefore`, `crashAfter`: its author dies before it reaches the store, or before the answer reaches him.
 * - `crashZombie`: its author dies, and it reaches the store after that.
 * - `suspended`: its author is stopped before the answer reaches him, and goes on later.
 * - `fatal`: the store says that it cannot be trusted any more.
 */
export type CommitFault =
  | 'none'
  | 'refused'
  | 'conflicted'
  | 'fenced'
  | 'lost'
  | 'unanswered'
  | 'zombie'
  | 'late'
  | 'twice'
  | 'crashBefore'
  | 'crashAfter'
  | 'crashZombie'
  | 'suspended'
  | 'fatal'

/** What may happen to any call. `slow` ones come late, so that what was read is old when it arrives. */
export type CallFault = 'none' | 'slowBefore' | 'slowAfter' | 'failed'

export type FaultKind = Exclude<CommitFault | CallFault, 'none'> | 'blackout' | 'pause' | 'kill' | 'stop' | 'fence' | 'retirement'

const commitFaults: Readonly<Record<CommitFault, number>> = {
  none: 780,
  refused: 40,
  conflicted: 15,
  fenced: 5,
  lost: 30,
  unanswered: 45,
  zombie: 25,
  late: 10,
  twice: 30,
  crashBefore: 6,
  crashAfter: 8,
  crashZombie: 3,
  suspended: 6,
  fatal: 1,
}

const deadly: ReadonlySet<CommitFault> = new Set(['crashBefore', 'crashAfter', 'crashZombie', 'fatal'])

const callFaults: Readonly<Record<CallFault, number>> = { none: 875, slowBefore: 50, slowAfter: 60, failed: 15 }

/** What happens to one commit of a process with which otherwise nothing is wrong. */
export interface Doom {
  /** From 1. */
  readonly at: number
  readonly fault: Exclude<CommitFault, 'none'>
}

/** In a mild climate nobody dies, so that whatever is left behind was forgotten; in a deadly one hardly anybody lives on. */
export type Climate = 'mild' | 'rough' | 'deadly'

/** Faults that may make a verb or a run fail; what happened otherwise must stay without consequence for them. */
const hard: ReadonlySet<FaultKind> = new Set([
  'refused',
  'lost',
  'zombie',
  'late',
  'failed',
  'fatal',
  'blackout',
  'unanswered',
  // What was under way may be over its deadline afterwards.
  'pause',
  'suspended',
])

/** Decides, for one process, what happens to its calls. Once it is calm nothing does any more. */
export class Weather {
  readonly #random: Random
  readonly #climate: Climate
  readonly #counts: Map<FaultKind, number>
  #isCalm = false
  #doom: Doom | undefined
  #commits = 0
  #hard = 0
  #downUntil = -1

  constructor(deps: { readonly random: Random; readonly climate: Climate; readonly counts: Map<FaultKind, number> }) {
    this.#random = deps.random
    this.#climate = deps.climate
    this.#counts = deps.counts
  }

  /** How many faults there have been that may make something fail. */
  get hardFaults(): number {
    return this.#hard
  }

  /** Whether nothing happens any more. */
  get isOver(): boolean {
    return this.#isCalm && this.#doom === undefined
  }

  /** No further faults. */
  heal(): void {
    this.#isCalm = true
    this.#doom = undefined
    this.#downUntil = -1
  }

  /** Nothing but this happens. */
  doom(doom: Doom): void {
    this.heal()
    this.#doom = doom
  }

  /** The store cannot be reached until then. */
  blackOut(until: number): void {
    this.count('blackout')
    this.#downUntil = until
  }

  isDown(now: number): boolean {
    const isDown = now < this.#downUntil
    if (isDown) this.#hard++
    return isDown
  }

  commit(): CommitFault {
    if (++this.#commits === this.#doom?.at) return this.#counted(this.#doom.fault)
    if (this.#isCalm) return 'none'
    const fault = this.#random.weighted(commitFaults)
    return this.#counted(this.#climate === 'mild' && deadly.has(fault) ? 'none' : fault)
  }

  call(): CallFault {
    return this.#isCalm ? 'none' : this.#counted(this.#random.weighted(callFaults))
  }

  /** How long a commit is on its way; mostly no time at all. */
  hesitation(longest: number): number {
    return !this.#isCalm && this.#random.chance(15) ? this.delay(longest) : 0
  }

  delay(longest: number): number {
    return 1 + this.#random.below(longest)
  }

  /** A connection that breaks tells less than a store that answers. */
  isAnonymous(): boolean {
    return this.#random.chance(50)
  }

  count(kind: FaultKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
    if (hard.has(kind)) this.#hard++
  }

  #counted<K extends CommitFault | CallFault>(fault: K): K {
    const kind: CommitFault | CallFault = fault
    if (kind !== 'none') this.count(kind)
    return fault
  }
}

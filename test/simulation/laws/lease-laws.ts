import type { Clock } from '../../../src/ports/clock.ts'
import { holds } from '../law-broken.ts'

/** Who was alive when, by what processes have told the store: what a take-over has to go by. */
export class LeaseLaws {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #until = new Map<string, number>()
  /** When each process last looked for what others had left and found one of them dead. */
  readonly #foundDead = new Map<string, number>()

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock
  }

  renewed(owner: string, ttlMs: number): void {
    this.#until.set(owner, this.#clock.monotonic() + ttlMs)
  }

  left(owner: string): void {
    this.#until.set(owner, -1)
  }

  /** A process that is about to work, which it may do before it has its lease. */
  begins(owner: string): void {
    this.#until.set(owner, -1)
  }

  /** The process looks, now, for what others have left. */
  looked(looker: string): void {
    const now = this.#clock.monotonic()
    for (const [owner, until] of this.#until) if (until <= now) this.#foundDead.set(`${looker} ${owner}`, now)
  }

  /** `taker` goes on with a run, or ends one, that `owner` has executed since then. */
  tookOver(taker: string, owner: string, since: number): void {
    const found = this.#foundDead.get(`${taker} ${owner}`) ?? -1
    holds(found >= since, 'R70: a run is taken over only from a process whose lease is over', { taker, owner, since, found })
  }
}

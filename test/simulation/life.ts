import type { Clock } from '../../src/ports/clock.ts'

const never = (): Promise<never> => new Promise(() => undefined)

/**
 * Whether a simulated process runs, is stopped for a while, or is dead. Everything that comes to the process from
 * outside, an answer of a store or a timer, has to pass here: to one that is stopped it comes late, to a dead one never.
 */
export class Life {
  readonly #died: () => void
  #paused: PromiseWithResolvers<void> | undefined
  #isDead = false

  constructor(onDeath: () => void) {
    this.#died = onDeath
  }

  get isDead(): boolean {
    return this.#isDead
  }

  get isPaused(): boolean {
    return this.#paused !== undefined
  }

  /** As `kill -9`: nothing that the process was about to do happens any more. */
  die(): void {
    if (this.#isDead) return
    this.#isDead = true
    this.#died()
  }

  /** As SIGSTOP. */
  pause(): void {
    this.#paused ??= Promise.withResolvers()
  }

  /** As SIGCONT. */
  resume(): void {
    this.#paused?.resolve()
    this.#paused = undefined
  }

  /** Resolves when the process may go on; never when it is dead. */
  async pass(): Promise<void> {
    while (this.#paused) await this.#paused.promise
    if (this.#isDead) await never()
  }

  /** Time as the process sees it. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => {
        let isCancelled = false
        const ring = async () => {
          await this.pass()
          if (!isCancelled) callback()
        }
        const cancel = clock.after(ms, () => (this.#paused || this.#isDead ? void ring() : callback()))
        return () => {
          isCancelled = true
          cancel()
        }
      },
      sleep: async (ms, signal) => {
        try {
          await clock.sleep(ms, signal)
        } finally {
          await this.pass()
        }
      },
      breathe: async () => {
        await clock.breathe()
        await this.pass()
      },
    }
  }
}

import type { DelegatedRun, DelegatedRunAdmission, DelegatedRunLease } from '../../src/ports/delegated-run-admission.ts'

/** One delegated run that asked to be let in, in the hands of a test. */
export class AskedAdmission {
  readonly run: DelegatedRun
  /** Calls of `close`, each of which a test may end; the oldest first. */
  readonly closes: PromiseWithResolvers<void>[] = []
  /** How many calls of `close` have succeeded, and how many were under way at most. */
  closed = 0
  mostClosing = 0
  readonly answered = Promise.withResolvers<DelegatedRunLease>()
  /** What ends a close in place of the test, if something does. */
  readonly #ends: () => (() => Promise<void>) | undefined
  #closing = 0

  constructor(run: DelegatedRun, ends: () => (() => Promise<void>) | undefined) {
    this.run = run
    this.#ends = ends
  }

  /** Lets the run in, now or late. */
  admit(): void {
    this.answered.resolve({ close: () => this.#close() })
  }

  refuse(error: unknown = new Error('the secret is 42')): void {
    this.answered.reject(error)
  }

  async #close(): Promise<void> {
    const end = Promise.withResolvers<void>()
    this.closes.push(end)
    this.#closing++
    this.mostClosing = Math.max(this.mostClosing, this.#closing)
    try {
      await (this.#ends()?.() ?? end.promise)
      this.closed++
    } finally {
      this.#closing--
    }
  }
}

/** A provider that answers when a test says so. */
export class ManualAdmission implements DelegatedRunAdmission {
  readonly asked: AskedAdmission[] = []
  /** Decides about each lease in place of the test. */
  onAcquire: ((asked: AskedAdmission) => void) | undefined
  /** Ends each close in place of the test. */
  onClose: (() => Promise<void>) | undefined

  acquire(run: DelegatedRun): Promise<DelegatedRunLease> {
    const asked = new AskedAdmission(run, () => this.onClose)
    this.asked.push(asked)
    this.onAcquire?.(asked)
    return asked.answered.promise
  }

  get last(): AskedAdmission {
    const last = this.asked.at(-1)
    if (!last) throw new Error('Nobody has asked to be let in.')
    return last
  }
}

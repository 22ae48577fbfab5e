/** Time, as far as the harness knows it. Everything that waits, waits here. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number
  /** Milliseconds that never go backwards, for measuring. */
  monotonic(): number
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls back once after `ms` unless cancelled by the result. Never keeps the process alive. */
  after(ms: number, callback: () => void): () => void
  /** Lets sockets and timers run. */
  breathe(): Promise<void>
}

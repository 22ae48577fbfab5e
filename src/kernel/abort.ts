/** Why something was stopped; the `reason` of every abort signal that the harness raises. */
export class AbortReason extends Error {
  override readonly name = 'AbortError'
  readonly kind:
    | 'requested'
    | 'superseded'
    | 'rejected'
    | 'timeout'
    | 'exhausted'
    | 'shutdown'
    | 'fenced'
    | 'retired'
    | 'parent'
    | 'lost'
    | 'deleted'
    | 'failed'

  constructor(kind: AbortReason['kind'], message: string) {
    super(message)
    this.kind = kind
  }
}

/** A controller that aborts with its parents, with their reason, and lets go of them when it aborts or is disposed. */
export class LinkedController implements Disposable {
  readonly #controller = new AbortController()
  readonly #unlink = new AbortController()

  constructor(...parents: readonly AbortSignal[]) {
    for (const parent of parents) this.follow(parent)
  }

  /** Takes one more parent. */
  follow(parent: AbortSignal): void {
    if (parent.aborted) this.abort(parent.reason)
    else parent.addEventListener('abort', () => this.abort(parent.reason), { signal: this.#unlink.signal })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The first reason wins. */
  abort(reason: unknown): void {
    this.#unlink.abort()
    this.#controller.abort(reason)
  }

  [Symbol.dispose](): void {
    this.#unlink.abort()
  }
}

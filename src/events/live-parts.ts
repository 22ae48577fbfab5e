/**
 * The parts that stream now, in all scopes. Owns them from their first sign, `part.created` or a delta, until they
 * are closed, and remembers the newest closed ones, so that late deltas can be told from new ones.
 *
 * Nothing stays for ever: a part is closed by its `part.completed`, by the `run.finished` of its run, or by its age
 * when the events that would have closed it were erased. Who reads the log of a scope while it has parts here is the
 * tail.
 */
import type { ScopeKey, SessionKey } from '../kernel/ids.ts'
import { LivePart, type LivePlace } from './live-part.ts'

const CLOSED_REMEMBERED = 4096

export interface LiveAddress {
  readonly sessionKey: SessionKey
  readonly messageIndex: number
  readonly partIndex: number
}

export class LiveParts {
  readonly #parts = new Map<string, LivePart>()
  readonly #byScope = new Map<ScopeKey, Set<LivePart>>()
  readonly #closed = new Set<string>()

  find(address: LiveAddress): LivePart | undefined {
    return this.#parts.get(keyOf(address))
  }

  /** The part at `place`, opened if it is new; undefined when it was closed: it has no text any more. */
  open(place: LivePlace, at: number): LivePart | undefined {
    const key = keyOf(place)
    const known = this.#parts.get(key)
    if (known || this.#closed.has(key)) return known
    const part = new LivePart(place, at)
    this.#parts.set(key, part)
    const others = this.#byScope.get(place.scopeKey)
    if (others) others.add(part)
    else this.#byScope.set(place.scopeKey, new Set([part]))
    return part
  }

  /** Forgets the part and answers it; undefined when it was not open. */
  close(address: LiveAddress): LivePart | undefined {
    const key = keyOf(address)
    this.#remember(key)
    const part = this.#parts.get(key)
    if (!part) return undefined
    this.#parts.delete(key)
    const others = this.#byScope.get(part.place.scopeKey)
    others?.delete(part)
    if (others?.size === 0) this.#byScope.delete(part.place.scopeKey)
    return part
  }

  of(scopeKey: ScopeKey): readonly LivePart[] {
    return [...(this.#byScope.get(scopeKey) ?? [])]
  }

  has(scopeKey: ScopeKey): boolean {
    return this.#byScope.has(scopeKey)
  }

  /** Whether what comes of the part comes too late. Remembered of the newest only. */
  wasClosed(address: LiveAddress): boolean {
    return this.#closed.has(keyOf(address))
  }

  /** Those that have not grown since `time`. */
  quietSince(time: number): readonly LivePart[] {
    return [...this.#parts.values()].filter(({ touchedAt }) => touchedAt <= time)
  }

  #remember(key: string): void {
    this.#closed.add(key)
    if (this.#closed.size <= CLOSED_REMEMBERED) return
    const [oldest] = this.#closed
    if (oldest !== undefined) this.#closed.delete(oldest)
  }
}

const keyOf = ({ sessionKey, messageIndex, partIndex }: LiveAddress): string =>
  `${sessionKey}.${messageIndex}.${partIndex}`

/**
 * The text so far of one streaming part, as its deltas brought it. Owns the pieces; whoever reads them remembers how
 * many of them he has seen, so that any number of readers share one text and catch up with one merged delta.
 *
 * - Pieces only join on: a delta that does not begin where the text ends breaks the part. A broken part has no text
 *   any more and never gets one, so no wrong text is ever shown; its completion brings the right one.
 * - What readers get ends between code points, also if a publisher cut one in two.
 */
import { splitWhole } from '../kernel/text.ts'
import type { RunId, ScopeKey, SessionKey } from '../kernel/ids.ts'
import type { Delta } from '../ports/event-transport.ts'
import type { EventUpdate } from '../ports/subscriptions.ts'

/** Where a part is, and in which session. */
export interface LivePlace {
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  readonly path: string
  readonly runId: RunId
  readonly messageIndex: number
  readonly partIndex: number
}

/** What a delta did to the text. */
export type Growth = 'grew' | 'repeated' | 'broke' | 'broken'

export class LivePart {
  readonly place: LivePlace
  readonly #pieces: Delta[] = []
  /** Pieces that end between code points. */
  #whole = 0
  #isBroken = false
  #touchedAt: number
  #joined = { pieces: 0, text: '' }
  #merged: { readonly from: number; readonly delta: Delta } | undefined

  constructor(place: LivePlace, at: number) {
    this.place = place
    this.#touchedAt = at
  }

  append(delta: Delta, at: number): Growth {
    this.#touchedAt = at
    if (this.#isBroken) return 'broken'
    if (delta.totalBytes <= this.#totalBytes) return 'repeated'
    if (delta.baseBytes !== this.#totalBytes) {
      this.#break()
      return 'broke'
    }
    this.#pieces.push(delta)
    if (splitWhole(delta.delta)[1] === '') this.#whole = this.#pieces.length
    return 'grew'
  }

  /** Pieces that a reader may have. */
  get length(): number {
    return this.#whole
  }

  /** When the last delta came, on the clock that `append` was told. */
  get touchedAt(): number {
    return this.#touchedAt
  }

  /** The text so far; undefined when it is not known. */
  get text(): string | undefined {
    if (this.#isBroken) return undefined
    const { pieces, text } = this.#joined
    if (pieces < this.#whole) this.#joined = { pieces: this.#whole, text: text + this.#textFrom(pieces) }
    return this.#joined.text
  }

  /**
   * All pieces after the first `seen` as one delta; undefined when there are none. Readers who saw the same share it.
   */
  after(seen: number): Delta | undefined {
    const last = this.#pieces[this.#whole - 1]
    if (!last || seen >= this.#whole) return undefined
    if (this.#merged?.from === seen && this.#merged.delta.totalBytes === last.totalBytes) return this.#merged.delta
    const baseBytes = this.#pieces[seen - 1]?.totalBytes ?? 0
    this.#merged = { from: seen, delta: { ...last, delta: this.#textFrom(seen), baseBytes } }
    return this.#merged.delta
  }

  /** The text so far, for a reader who has seen nothing of it; undefined when there is none. */
  snapshot(): Extract<EventUpdate, { type: 'snapshot' }> | undefined {
    const last = this.#pieces[this.#whole - 1]
    if (!last) return undefined
    const { session, address, kind, totalBytes, timestamp } = last
    return { type: 'snapshot', session, address, kind, text: this.text ?? '', totalBytes, timestamp }
  }

  get #totalBytes(): number {
    return this.#pieces.at(-1)?.totalBytes ?? 0
  }

  #textFrom(piece: number): string {
    const pieces = this.#pieces.slice(piece, this.#whole)
    return pieces.map(({ delta }) => delta).join('')
  }

  #break(): void {
    this.#isBroken = true
    this.#pieces.length = 0
    this.#whole = 0
    this.#joined = { pieces: 0, text: '' }
    this.#merged = undefined
  }
}

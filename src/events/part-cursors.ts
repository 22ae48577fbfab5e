/**
 * How far one subscriber has read each part that streams. Owns a number per part and no text: what was missed is merged
 * when it is asked for, into one delta, or into one snapshot for a subscriber who came in mid-part.
 */
import type { EventUpdate } from '../ports/subscriptions.ts'
import type { LivePart } from './live-part.ts'

interface Cursor {
  readonly seen: number
  readonly needs: 'delta' | 'snapshot'
}

export class PartCursors {
  readonly #cursors = new Map<LivePart, Cursor>()
  /** Parts with text that the subscriber has not seen, the longest waiting first. */
  readonly #unread = new Set<LivePart>()

  /** The subscriber sees the part from its beginning. */
  begin(part: LivePart): void {
    this.#add(part, { seen: 0, needs: 'delta' })
  }

  /** The subscriber comes to a part that may have begun. */
  join(part: LivePart): void {
    this.#add(part, { seen: 0, needs: part.length > 0 ? 'snapshot' : 'delta' })
  }

  /** The part has grown. */
  grew(part: LivePart): void {
    if (this.#cursors.has(part)) this.#unread.add(part)
  }

  /** Takes what waits longest. */
  next(): EventUpdate | undefined {
    for (const part of this.#unread) {
      this.#unread.delete(part)
      const update = this.#read(part)
      if (update) return update
    }
    return undefined
  }

  /** Forgets the part and answers what the subscriber has not seen of it. */
  close(part: LivePart): EventUpdate | undefined {
    const rest = this.#read(part)
    this.#cursors.delete(part)
    this.#unread.delete(part)
    return rest
  }

  clear(): void {
    this.#cursors.clear()
    this.#unread.clear()
  }

  #add(part: LivePart, cursor: Cursor): void {
    this.#cursors.set(part, cursor)
    if (part.length > 0) this.#unread.add(part)
  }

  #read(part: LivePart): EventUpdate | undefined {
    const cursor = this.#cursors.get(part)
    if (!cursor) return undefined
    this.#cursors.set(part, { seen: part.length, needs: 'delta' })
    if (cursor.needs === 'snapshot') return part.snapshot()
    const delta = part.after(cursor.seen)
    return delta && { type: 'delta', delta }
  }
}

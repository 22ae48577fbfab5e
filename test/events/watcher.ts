import assert from 'node:assert/strict'
import type { HarnessEvent } from '../../src/domain/event/event.ts'
import { utf8Length } from '../../src/kernel/text.ts'
import type { EventUpdate } from '../../src/ports/subscriptions.ts'

/** What is true of a part, as those who publish it know it. */
export interface TruePart {
  readonly partId: string
  readonly text: () => string
}

interface SeenPart {
  readonly text: string
  readonly isCreated: boolean
  readonly isComplete: boolean
  /** True when not a byte may be missing. */
  readonly isWhole: boolean
}

const unseen: SeenPart = { text: '', isCreated: false, isComplete: false, isWhole: false }

/**
 * A consumer who checks each update against what is true: events in order, each once; deltas that go on exactly where
 * its text ends, after the creation and before the completion; texts that are never wrong and never end in half a
 * character.
 */
export class Watcher {
  readonly events: HarnessEvent[] = []
  readonly problems: unknown[] = []
  readonly #parts = new Map<string, SeenPart>()
  readonly #truth: ReadonlyMap<string, TruePart>
  readonly #mayLag: () => boolean
  #updates: AsyncIterator<EventUpdate> | undefined
  #wholeAfter = 0
  #cursor: number
  #attachment = 0

  constructor(truth: ReadonlyMap<string, TruePart>, cursor: number, mayLag: () => boolean) {
    this.#truth = truth
    this.#cursor = cursor
    this.#mayLag = mayLag
  }

  get cursor(): number {
    return this.#cursor
  }

  /** Of parts that are created after `wholeAfter`, nothing may be missing. */
  attach(updates: AsyncIterator<EventUpdate>, wholeAfter: number): void {
    this.#updates = updates
    this.#wholeAfter = wholeAfter
    this.#attachment += 1
  }

  async detach(): Promise<void> {
    await this.#updates?.return?.()
    this.#updates = undefined
  }

  /** Asks for updates without waiting for them. */
  pull(count: number): void {
    const attachment = this.#attachment
    for (let n = 0; n < count; n++) {
      this.#updates?.next().then(
        ({ done, value }) => {
          if (done !== true && attachment === this.#attachment) this.#check(value)
        },
        (error: unknown) => this.problems.push(error),
      )
    }
  }

  textOf(partId: string): string {
    return this.#parts.get(partId)?.text ?? ''
  }

  #check(update: EventUpdate): void {
    try {
      this.#see(update)
    } catch (error) {
      this.problems.push(error)
    }
  }

  #see(update: EventUpdate): void {
    switch (update.type) {
      case 'event':
        return this.#seeEvent(update.event)
      case 'delta': {
        const { address, delta, baseBytes, totalBytes } = update.delta
        const part = this.#streaming(address.partId)
        assert.equal(baseBytes, utf8Length(part.text), 'a delta goes on where the text ends')
        this.#put(address.partId, { ...part, text: part.text + delta }, totalBytes)
        return
      }
      case 'snapshot': {
        const { address, text, totalBytes } = update
        this.#put(address.partId, { ...this.#streaming(address.partId), text }, totalBytes)
        return
      }
      case 'advanced':
        assert(update.sequence >= this.#cursor, 'the cursor never goes back')
        this.#cursor = update.sequence
        return
      case 'activity':
        return
    }
  }

  #seeEvent(event: HarnessEvent): void {
    assert(event.sequence > this.#cursor, 'events come in order, each once')
    this.#cursor = event.sequence
    this.events.push(event)
    const { body, sequence } = event
    if (body.type === 'part.created') {
      assert.equal(this.#parts.get(body.partId)?.text ?? '', '', 'nothing is said before the creation')
      this.#parts.set(body.partId, { ...unseen, isCreated: true, isWhole: sequence > this.#wholeAfter })
    }
    if (body.type === 'part.completed') {
      const part = this.#parts.get(body.partId) ?? unseen
      assert(!part.isComplete, 'a part completes once')
      const truth = this.#truth.get(body.partId)?.text()
      if (part.isWhole && !this.#mayLag()) assert.equal(part.text, truth, 'nothing is missing')
      this.#parts.set(body.partId, { ...part, isComplete: true })
    }
  }

  #streaming(partId: string): SeenPart {
    const part = this.#parts.get(partId) ?? unseen
    assert(!part.isComplete, 'nothing is said after the completion')
    return part
  }

  #put(partId: string, part: SeenPart, totalBytes: number): void {
    assert.equal(totalBytes, utf8Length(part.text), 'the byte counts are right')
    assert(part.text.isWellFormed(), 'no text ends in half a character')
    assert(this.#truth.get(partId)?.text().startsWith(part.text), 'the text is right')
    this.#parts.set(partId, part)
  }

  /** After an interruption, a part that was being watched is no longer known from its beginning. */
  interrupted(): void {
    for (const [partId, part] of this.#parts) this.#parts.set(partId, { ...part, isWhole: false })
  }
}

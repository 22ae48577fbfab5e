/**
 * Turns the blocks of a model's stream into parts: opens them durably, publishes their text in coalesced deltas, keeps
 * the durable text at most 500 ms behind, and closes them.
 *
 * Owns the text of the parts that are open and the timers for it. Invariants:
 * - A delta is published only after its part was opened durably, and before the change that closes the part is asked for.
 * - Deltas of a part join without a gap or an overlap, and never split a surrogate pair.
 * - After `dispose` nothing is published or asked for any more.
 */
import { splitWhole, storable, utf8Length } from '../../kernel/text.ts'
import type { Limits } from '../../domain/limits.ts'
import type { StreamingKind } from '../../domain/message/message.ts'
import { overflowed } from '../../domain/run/outcome.ts'
import type { Run } from '../../domain/run/run.ts'
import { addressOf } from '../../domain/session/announce.ts'
import type { ToolCallInfo } from '../../domain/tool/call.ts'
import type { ContentCommand, RunRef } from '../../domain/session/commands.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Delta, SessionRef } from '../../ports/event-transport.ts'
import type { Past } from './past.ts'
import { RunEnd } from './run-end.ts'

export interface PartWriterDeps {
  readonly clock: Clock
  readonly session: SessionRef
  readonly run: Run
  readonly past: Past
  readonly limits: Limits
  readonly publish: (delta: Delta) => void
  /** Makes commands of the run durable as one change. Rejects when the run is no longer ours or the store fails. */
  readonly commit: (...commands: readonly [ContentCommand, ...ContentCommand[]]) => Promise<void>
}

interface OpenBlock {
  readonly partIndex: number
  readonly kind: StreamingKind
  text: string
  bytes: number
  /** A high surrogate whose other half has not come. */
  held: string
  published: { units: number; bytes: number; at: number }
  durable: number
}

/** Milliseconds between deltas of a part. */
const DELTA_INTERVAL_MS = 16
/** Milliseconds that durable text may be behind. */
const CHECKPOINT_INTERVAL_MS = 400

export class PartWriter implements Disposable {
  readonly #deps: PartWriterDeps
  readonly #ref: RunRef
  readonly #blocks = new Map<string, OpenBlock>()
  readonly #timers = new Map<'deltas' | 'checkpoint', () => void>()
  readonly #bytes: { text: number; reasoning: number }
  #parts: number
  #waiting: ContentCommand[] = []
  #checkpoint: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined
  #isDisposed = false

  constructor(deps: PartWriterDeps) {
    this.#deps = deps
    this.#parts = deps.run.partCount
    this.#bytes = { text: deps.past.textBytes, reasoning: deps.past.reasoningBytes }
    this.#ref = { runId: deps.run.runId, epoch: deps.run.epoch }
  }

  /** Opens a part durably, together with what waits. */
  async open(block: string, kind: StreamingKind): Promise<void> {
    const { clock, limits } = this.#deps
    if (this.#parts >= limits.maxParts) throw new RunEnd(overflowed('parts', limits.maxParts))
    if (this.#blocks.has(block)) throw new Error(`The model opened the block ${block} twice.`)
    const partIndex = this.#parts++
    const opening = { type: 'openPart', run: this.#ref, partIndex, kind, at: clock.now() } as const
    const [head, ...rest] = [...this.takeWaiting(), opening] as const
    await this.#deps.commit(head ?? opening, ...rest)
    const published = { units: 0, bytes: 0, at: -Infinity }
    this.#blocks.set(block, { partIndex, kind, text: '', bytes: 0, held: '', published, durable: 0 })
  }

  /** Adds text to a part. Throws `RunEnd` when the run has produced too much, and what a checkpoint failed with. */
  push(name: string, piece: string): void {
    if (this.#failure) throw this.#failure.error
    const block = this.#block(name)
    const [whole, held] = splitWhole(block.held + piece)
    block.held = held
    this.#append(block, storable(whole))
    if (this.#deps.clock.monotonic() - block.published.at >= DELTA_INTERVAL_MS) this.#publish(block)
    else this.#schedule('deltas', DELTA_INTERVAL_MS, () => this.#publishAll())
    this.#schedule('checkpoint', CHECKPOINT_INTERVAL_MS, () => this.#startCheckpoint())
  }

  /** Ends a part. The change is made with the next one: see `takeWaiting`. */
  close(name: string): void {
    const block = this.#block(name)
    this.#append(block, storable(block.held))
    this.#publish(block)
    this.#blocks.delete(name)
    const { partIndex, text } = block
    this.defer({ type: 'closePart', run: this.#ref, partIndex, text, at: this.#deps.clock.now() })
    this.#schedule('checkpoint', CHECKPOINT_INTERVAL_MS, () => this.#startCheckpoint())
  }

  /** Opens the part of a tool call. The change is made with the next one: see `takeWaiting`. Its index. */
  openCall(call: ToolCallInfo): number {
    const { clock, limits } = this.#deps
    if (this.#parts >= limits.maxParts) throw new RunEnd(overflowed('parts', limits.maxParts))
    const partIndex = this.#parts++
    this.defer({ type: 'openTool', run: this.#ref, partIndex, call, at: clock.now() })
    return partIndex
  }

  /** Makes a command part of the next change. */
  defer(command: ContentCommand): void {
    this.#waiting.push(command)
  }

  /** Makes what waits durable now. */
  async flush(): Promise<void> {
    const [first, ...rest] = this.takeWaiting()
    if (first) await this.#deps.commit(first, ...rest)
  }

  /** The commands that wait for the next change, in their order, for the caller to make durable. */
  takeWaiting(): readonly ContentCommand[] {
    const waiting = this.#waiting
    this.#waiting = []
    return waiting
  }

  /** Publishes what has not been, and gives the text of every part that is still open. */
  finish(): ReadonlyMap<number, string> {
    for (const block of this.#blocks.values()) {
      this.#append(block, storable(block.held))
      block.held = ''
    }
    this.#publishAll()
    return new Map([...this.#blocks.values()].map(({ partIndex, text }) => [partIndex, text]))
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
  }

  #block(name: string): OpenBlock {
    const block = this.#blocks.get(name)
    if (!block) throw new Error(`The model wrote to the block ${name}, which is not open.`)
    return block
  }

  #append(block: OpenBlock, text: string): void {
    const bytes = utf8Length(text)
    const { maxTextBytes, maxReasoningBytes } = this.#deps.limits
    const limit = block.kind === 'text' ? maxTextBytes : maxReasoningBytes
    if (this.#bytes[block.kind] + bytes > limit) throw new RunEnd(overflowed(`bytes of ${block.kind}`, limit))
    this.#bytes[block.kind] += bytes
    block.text += text
    block.bytes += bytes
  }

  #publishAll(): void {
    for (const block of this.#blocks.values()) this.#publish(block)
  }

  #publish(block: OpenBlock): void {
    const { units, bytes: baseBytes } = block.published
    if (this.#isDisposed || units === block.text.length) return
    const { clock, session, run, publish } = this.#deps
    block.published = { units: block.text.length, bytes: block.bytes, at: clock.monotonic() }
    const delta = block.text.slice(units)
    const address = addressOf(run, block)
    publish({ session, address, kind: block.kind, delta, baseBytes, totalBytes: block.bytes, timestamp: clock.now() })
  }

  #schedule(timer: 'deltas' | 'checkpoint', ms: number, work: () => void): void {
    if (this.#isDisposed || this.#timers.has(timer)) return
    const cancel = this.#deps.clock.after(ms, () => {
      this.#timers.delete(timer)
      work()
    })
    this.#timers.set(timer, cancel)
  }

  #startCheckpoint(): void {
    if (this.#isDisposed) return
    if (this.#checkpoint) return this.#schedule('checkpoint', DELTA_INTERVAL_MS, () => this.#startCheckpoint())
    const [first, ...rest] = [...this.takeWaiting(), ...this.#growth()]
    if (!first) return
    this.#checkpoint = this.#deps
      .commit(first, ...rest)
      .catch((error: unknown) => {
        this.#failure ??= { error }
      })
      .finally(() => {
        this.#checkpoint = undefined
      })
  }

  #growth(): readonly ContentCommand[] {
    return [...this.#blocks.values()].flatMap((block) => {
      const { partIndex, text, durable: offset } = block
      if (offset === text.length) return []
      block.durable = text.length
      return [{ type: 'growPart', run: this.#ref, partIndex, offset, text: text.slice(offset) } as const]
    })
  }
}

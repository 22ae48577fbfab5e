import type { RunId } from '../../src/kernel/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type ManualCall, ManualModels } from '../support/manual-model.ts'
import type { Random } from './random.ts'

/** What models have said, of which only a part may have been stored. */
export class Transcript {
  readonly #blocks = new Map<RunId, string[]>()

  /** Begins a block; the result adds to it, before the harness gets to know. */
  open(runId: RunId): (text: string) => void {
    const blocks = this.#blocks.get(runId) ?? []
    this.#blocks.set(runId, blocks)
    const index = blocks.push('') - 1
    return (text) => {
      blocks[index] += text
    }
  }

  /** The text of each block of a run, in order. */
  of(runId: RunId): readonly string[] {
    return this.#blocks.get(runId) ?? []
  }
}

const words = ['some ', 'text ', 'with 🎈 ', 'naïve ', 'quotes " ', '日本 ']

/** Models that talk, think, stumble, go silent or hang, as their seed says. */
export class TalkativeModels extends ManualModels {
  readonly #random: Random
  readonly #transcript: Transcript
  readonly #clock: Clock
  #isBrief = false
  readonly #hanging = new Set<ManualCall>()

  constructor(deps: { readonly random: Random; readonly transcript: Transcript; readonly clock: Clock }) {
    super()
    this.#random = deps.random
    this.#transcript = deps.transcript
    this.#clock = deps.clock
    this.onCall = (call) => void this.#speak(call)
  }

  /** From now on every call is answered at once, those that hang too. */
  beBrief(): void {
    this.#isBrief = true
    for (const call of this.#hanging) call.fail(new Error('The provider gave up.'))
    this.#hanging.clear()
  }

  async #speak(call: ManualCall): Promise<void> {
    if (this.#isBrief) return this.#answer(call)
    for (let blocks = this.#random.below(3); blocks > 0; blocks--) await this.#block(call, `block ${blocks}`)
    const end = this.#random.weighted({ stop: 70, continue: 15, fail: 7, silence: 3, hang: 5 })
    if (end === 'stop' || end === 'continue') call.finish(this.#isBrief ? 'stop' : end)
    else if (end === 'silence') call.close()
    else if (end === 'fail' || this.#isBrief) call.fail(new Error('The provider failed.'))
    else this.#hanging.add(call)
  }

  #answer(call: ManualCall): void {
    this.#transcript.open(call.request.runId)('brief')
    call.answer('brief')
  }

  async #block(call: ManualCall, name: string): Promise<void> {
    const say = this.#transcript.open(call.request.runId)
    call.start(this.#random.chance(25) ? 'reasoning' : 'text', name)
    for (let pieces = this.#random.below(5); pieces > 0; pieces--) {
      const word = this.#random.pick(words)
      say(word)
      call.delta(word, name)
      if (!this.#isBrief && this.#random.chance(60)) await this.#clock.sleep(1 + this.#random.below(250))
    }
    call.end(name)
  }
}

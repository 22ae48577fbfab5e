import type { Json } from '../../src/kernel/json.ts'
import { noUsage } from '../../src/domain/run/usage.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { StepCall } from '../../src/ports/model.ts'
import type { ModelRequest } from '../../src/ports/model-request.ts'
import { type ManualCall, ManualModels } from '../support/manual-model.ts'
import type { Random } from './random.ts'
import type { Attempt, Transcript } from './transcript.ts'

const words = ['some ', 'text ', 'with 🎈 ', 'naïve ', 'quotes " ', '日本 ']
const wanted = { burn: 25, write: 30, put: 12, keep: 14, look: 10, seal: 4, nothing: 5 }
/** Providers repeat them. */
const callIds = ['call_0', 'call_1', 'call_2']

export interface ModelsDeps {
  readonly random: Random
  readonly transcript: Transcript
  readonly clock: Clock
  /** Which attempt of its run the process executes. */
  readonly attemptOf: (request: ModelRequest) => Attempt
  /** Told of everything that is sent to a model. */
  readonly onAsked: (call: StepCall, request: ModelRequest) => void
}

/** Models that talk, think, call tools, stumble, go silent or hang, as their seed says. */
export class TalkativeModels extends ManualModels {
  readonly #deps: ModelsDeps
  readonly #random: Random
  #isBrief = false
  readonly #hanging = new Set<ManualCall>()

  constructor(deps: ModelsDeps) {
    super()
    this.#deps = deps
    this.#random = deps.random
    this.onCall = (call) => void this.#speak(call)
  }

  /** From now on every call is answered at once, those that hang too. */
  beBrief(): void {
    this.#isBrief = true
    for (const call of this.#hanging) call.fail(new Error('The provider gave up.'))
    this.#hanging.clear()
  }

  async #speak(call: ManualCall): Promise<void> {
    this.#deps.onAsked(call.call, call.request)
    const attempt = this.#deps.attemptOf(call.request)
    if (this.#isBrief) return this.#answer(call, attempt)
    const content: Json[] = []
    for (let blocks = this.#random.below(3); blocks > 0; blocks--) {
      content.push({ type: 'text', text: await this.#block(call, attempt, `block ${blocks}`) })
    }
    if (call.call.tools.length > 0 && this.#random.chance(70)) content.push(...this.#calls(call, attempt))
    const end = this.#random.weighted({ stop: 70, continue: 15, fail: 7, silence: 3, hang: 5 })
    if (end === 'stop' || end === 'continue') finish(call, this.#isBrief ? 'stop' : end, content)
    else if (end === 'silence') call.close()
    else if (end === 'fail' || this.#isBrief) call.fail(new Error('The provider failed.'))
    else this.#hanging.add(call)
  }

  #answer(call: ManualCall, attempt: Attempt): void {
    this.#deps.transcript.open(attempt)('brief')
    finish(call.start().delta('brief').end(), 'stop', [{ type: 'text', text: 'brief' }])
  }

  async #block(call: ManualCall, attempt: Attempt, name: string): Promise<string> {
    const say = this.#deps.transcript.open(attempt)
    let text = ''
    call.start(this.#random.chance(25) ? 'reasoning' : 'text', name)
    for (let pieces = this.#random.below(5); pieces > 0; pieces--) {
      const word = this.#random.pick(words)
      text += word
      say(word)
      call.delta(word, name)
      if (!this.#isBrief && this.#random.chance(60)) await this.#deps.clock.sleep(1 + this.#random.below(250))
    }
    call.end(name)
    return text
  }

  #calls(call: ManualCall, attempt: Attempt): readonly Json[] {
    return Array.from({ length: 1 + this.#random.below(3) }, (_, i) => {
      const toolName = this.#random.weighted(wanted)
      const toolCallId = this.#random.pick(callIds)
      const input = this.#random.chance(5) ? { isWrong: true } : { i }
      const problem = this.#random.chance(3) ? 'The input is no JSON.' : null
      this.#deps.transcript.call(attempt, toolName, input)
      call.say({ type: 'call', callId: toolCallId, toolName, input, problem })
      return { type: 'tool-call', toolCallId, toolName, input }
    })
  }
}

/** Ends a step, with what the next context needs of it in the way in which the agent writes it down. */
function finish(call: ManualCall, reason: 'stop' | 'continue', content: readonly Json[]): void {
  const usage = { ...noUsage, inputTokens: 2, outputTokens: 3, totalTokens: 5 }
  const output = { provider: 'test', messages: [{ role: 'assistant', content }] }
  call.say({ type: 'finish', reason, usage, output }).close()
}

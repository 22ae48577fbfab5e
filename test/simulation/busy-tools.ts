import type { Clock } from '../../src/ports/clock.ts'
import { ToolError } from '../../src/ports/tool-error.ts'
import type { Tool, ToolCall, ToolHandle, ToolProvider, ToolRequest } from '../../src/ports/tools.ts'
import type { Author } from './author.ts'
import type { Outside } from './laws/outside-laws.ts'
import type { Life } from './life.ts'
import type { Random } from './random.ts'
import { toolKinds } from './tool-kinds.ts'

export interface ToolsDeps {
  readonly random: Random
  readonly clock: Clock
  readonly life: Life
  readonly outside: Outside
  readonly author: Author
}

/** Tools that do their work at once or slowly, obey an abort or not, fail or hang, as their seed says. */
export class BusyTools implements ToolProvider {
  readonly #deps: ToolsDeps
  readonly #random: Random
  readonly #tools: readonly Tool[]
  readonly #hanging = new Set<() => void>()
  #isBrief = false

  constructor(deps: ToolsDeps) {
    this.#deps = deps
    this.#random = deps.random
    this.#tools = Object.entries(toolKinds).map(([name, kind]) => this.#tool(name, kind))
  }

  /** From now on every call is answered at once, those that hang too. */
  beBrief(): void {
    this.#isBrief = true
    for (const answer of this.#hanging) answer()
    this.#hanging.clear()
  }

  async provide(request: ToolRequest): Promise<ToolHandle> {
    const how = this.#isBrief ? 'give' : this.#random.weighted({ give: 88, wait: 5, ask: 5, fail: 2 })
    if (how === 'wait') await this.#deps.clock.sleep(1 + this.#random.below(300))
    if (how === 'ask') await request.requestPermission({ kind: 'application', description: 'Use the tools' })
    if (how === 'fail') throw new Error('There are no tools.')
    const { outside } = this.#deps
    const handle = outside.handed(this.#deps.author)
    // What lends a tool may be gone for a while.
    const gone = !this.#isBrief && this.#random.chance(12) ? this.#random.pick(this.#tools) : undefined
    return {
      tools: this.#tools.filter((tool) => tool !== gone),
      release: async () => {
        outside.returned(handle)
        if (!this.#isBrief && this.#random.chance(5)) throw new Error('The tools are in use.')
        outside.released(handle)
      },
    }
  }

  #tool(name: string, kind: Pick<Tool, 'readOnly' | 'idempotent'>): Tool {
    return {
      ...kind,
      name,
      description: `The tool ${name}.`,
      inputSchema: { type: 'object' },
      timeoutMs: null,
      check: async (input) =>
        JSON.stringify(input).includes('isWrong') ? { ok: false, message: 'it is wrong' } : { ok: true, input },
      execute: (_, call) => this.#execute(name, call),
    }
  }

  async #execute(toolName: string, call: ToolCall): Promise<unknown> {
    const { life, clock, outside, author } = this.#deps
    await life.pass()
    const answered = outside.executed(author, toolName, call)
    const how = this.#isBrief ? 'answer' : this.#random.weighted({ answer: 40, slow: 25, deaf: 10, hang: 5, fail: 12, tell: 8 })
    if (how === 'slow') await clock.sleep(1 + this.#random.below(1_200), call.signal)
    if (how === 'deaf') await clock.sleep(1 + this.#random.below(6_000))
    if (how === 'hang') await this.#hang()
    if (how === 'fail') throw new Error('The tool broke.')
    if (how === 'tell') throw new ToolError('The tool says no.')
    return answered()
  }

  #hang(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#hanging.add(resolve)
    return promise
  }
}

/**
 * The tools of one run: asks the provider for them, and gives them back.
 *
 * Owns the handle. Invariant: `release` of a handle that the provider returned is called exactly once, also when the
 * handle comes after the run has given up waiting for it. A release that fails, or takes longer than the deadline, is
 * handed to `keep`, which owns it from then on.
 */
import { Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { Tool, ToolHandle, ToolProvider, ToolRequest } from '../../ports/tools.ts'
import { raced } from './raced.ts'
import { ReservedToolError } from './reserved-tool-error.ts'
import { settled } from './settled.ts'

export interface RunToolsDeps {
  readonly clock: Clock
  readonly log: Log
  readonly provider: ToolProvider
  /** Names that no tool may have. */
  readonly reserved: readonly string[]
  /** The tools that the run may have; all when null. */
  readonly only: readonly string[] | null
  /** Milliseconds that a release may take before the run goes on without waiting for it. */
  readonly releaseDeadlineMs: number
  /** Takes over a release that failed. */
  readonly keep: (release: () => Promise<void>) => void
}

export class RunTools {
  readonly #deps: RunToolsDeps
  #handle: ToolHandle | undefined
  #isClosed = false

  constructor(deps: RunToolsDeps) {
    this.#deps = deps
  }

  /** The tools by name. Rejects with what the provider threw, with a fault of it, or with the reason of an abort. */
  async acquire(request: ToolRequest): Promise<ReadonlyMap<string, Tool>> {
    const handle = await raced(request.signal, this.#receive(request))
    const tools = new Map(handle.tools.map((tool) => [tool.name, tool]))
    const taken = this.#deps.reserved.find((name) => tools.has(name))
    if (taken !== undefined) throw new ReservedToolError(taken)
    if (tools.size < handle.tools.length) throw new Fault('tool', `Two tools have the same name: ${clash(handle.tools)}.`)
    const { only } = this.#deps
    return only ? new Map([...tools].filter(([name]) => only.includes(name))) : tools
  }

  /** Gives the tools back. Resolves when they are, or have been handed over. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true
    const handle = this.#handle
    this.#handle = undefined
    if (handle) await this.#release(handle)
  }

  async #receive(request: ToolRequest): Promise<ToolHandle> {
    const handle = await this.#deps.provider.provide(request)
    if (this.#isClosed) void this.#release(handle)
    else this.#handle = handle
    return handle
  }

  async #release(handle: ToolHandle): Promise<void> {
    const { clock, log, releaseDeadlineMs, keep } = this.#deps
    const first = (async () => handle.release?.())()
    const end = await settled(clock, { signal: AbortSignal.abort(), graceMs: releaseDeadlineMs }, first)
    if (end.kind === 'value') return
    log.error({ err: end.kind === 'error' ? end.error : undefined }, 'tools could not be released: trying again later')
    // A release that is only late is waited for, not called a second time.
    let attempt = end.kind === 'abandoned' ? first : undefined
    keep(async () => {
      const current = (attempt ??= (async () => handle.release?.())())
      const late = await settled(clock, { signal: AbortSignal.abort(), graceMs: releaseDeadlineMs }, current)
      if (late.kind === 'value') return
      if (late.kind === 'abandoned') throw new Error(`Releasing the tools takes more than ${releaseDeadlineMs} ms.`)
      attempt = undefined
      throw late.error
    })
  }
}

const clash = (tools: readonly Tool[]): string =>
  tools
    .map(({ name }) => name)
    .filter((name, i, names) => names.indexOf(name) !== i)
    .join(', ')

import { cutUtf8, storable } from '../../kernel/text.ts'

const MAX_CALL_ID_BYTES = 256

/** Gives the tool calls of a run ids of their own: a provider's id is used again with `#2`, `#3` … behind it. */
export class CallIds {
  readonly #taken: Set<string>

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken)
  }

  next(providerCallId: string): string {
    const base = cutUtf8(storable(providerCallId), MAX_CALL_ID_BYTES) || 'call'
    let id = base
    for (let n = 2; this.#taken.has(id); n++) id = `${base}#${n}`
    this.#taken.add(id)
    return id
  }
}

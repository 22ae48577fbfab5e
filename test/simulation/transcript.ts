import type { Json } from '../../src/kernel/json.ts'
import type { RunId } from '../../src/kernel/ids.ts'

/** What a model has said or asked for: it becomes one part. */
export type Said =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly toolName: string; readonly input: Json }

/** One attempt of a run: what an executor was told by its model. */
export interface Attempt {
  readonly runId: RunId
  readonly epoch: number
}

/** What models have said, of which only a part may have been stored. */
export class Transcript {
  readonly #said = new Map<string, Said[]>()

  /** Begins a block; the result adds to it, before the harness gets to know. */
  open(attempt: Attempt): (text: string) => void {
    const said = this.#of(attempt)
    const index = said.push({ kind: 'text', text: '' }) - 1
    let whole = ''
    return (text) => {
      whole += text
      said[index] = { kind: 'text', text: whole }
    }
  }

  call(attempt: Attempt, toolName: string, input: Json): void {
    this.#of(attempt).push({ kind: 'call', toolName, input })
  }

  /** What was said in one attempt, in order. */
  of(attempt: Attempt): readonly Said[] {
    return this.#of(attempt)
  }

  #of({ runId, epoch }: Attempt): Said[] {
    const key = `${epoch} ${runId}`
    const said = this.#said.get(key) ?? []
    this.#said.set(key, said)
    return said
  }
}

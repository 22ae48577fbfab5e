import type { ProviderConfig } from '../../../src/agent/models-config.ts'
import type { Usage } from '../../../src/domain/run/usage.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { Act } from '../../support/scripted-server.ts'

/** The question and the answer of which `Wire.followUp` tells. */
export const said = {
  prompt: 'first',
  thoughts: ['let me ', 'see'],
  text: ['Grüß', ' Gott 🙂'],
  next: 'second',
} as const

/** The wire format of a provider, as its server speaks it. */
export interface Wire {
  readonly name: string
  readonly config: (origin: string) => ProviderConfig
  readonly modelId: string
  readonly path: string
  /** Proves who asks when the key is `secret`. */
  readonly keyHeader: readonly [name: string, value: string]
  /** Whether it shows what the model thinks. */
  readonly showsThoughts: boolean
  /** The beginning of an answer, of which more is to come. */
  readonly begin: (thoughts: readonly string[], text: readonly string[]) => readonly Act[]
  /** The end of an answer that has begun, with token counts. */
  readonly end: readonly Act[]
  /** What the token counts of `end` are to us. */
  readonly usage: Usage
  /** An error instead of more of the answer. */
  readonly failure: (message: string) => Act
  /** The body of an answer with an error status. */
  readonly refusal: (message: string) => Json
  /** Part of the request with the prompt `said.next` after `said.prompt` was answered. */
  readonly followUp: Json
}

/** A whole answer. */
export const answer = (wire: Wire, ...text: readonly string[]): { readonly stream: readonly Act[] } => ({
  stream: [...wire.begin([], text), ...wire.end],
})

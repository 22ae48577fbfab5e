import type { LanguageModelV4 } from '@ai-sdk/provider'

/** How a provider is reached. */
export interface Connection {
  /** Something in any case: where there is no key, `fetch` sends none. */
  readonly apiKey: string
  readonly baseURL: string
  readonly fetch: typeof globalThis.fetch
}

/** What there is to know about a kind of provider. */
export interface Vendor {
  readonly baseURL: string
  /** The header that carries the key, in lower case. */
  readonly keyHeader: string
  /** The variable that holds the key by convention; null when there may be none. */
  readonly keyVariable: string | null
  /** How long it may send nothing unless the configuration says otherwise. */
  readonly silenceMs: number
  /** Loads the package that speaks its API. */
  readonly load: (connection: Connection) => Promise<(id: string) => LanguageModelV4>
}

export const FIVE_MINUTES_MS = 5 * 60_000

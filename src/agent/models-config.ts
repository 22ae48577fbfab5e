/** Where the models come from. */
export interface ModelsConfig {
  /** `provider:model` for runs that name none. */
  readonly default: string
  /** By the name that stands before the colon. `offline` is always there. */
  readonly providers: Readonly<Record<string, ProviderConfig>>
  /** `provider:model` names to show to clients; others of the same providers work as well. */
  readonly models?: readonly string[]
}

export type ProviderConfig = OpenAiConfig | AnthropicConfig | GoogleConfig | GatewayConfig | OpenAiCompatibleConfig

interface Reached {
  /** Needed unless the provider is reached at a base URL of its own, or by headers that authenticate. */
  readonly apiKey?: string
  /** Where the API is, up to its version, such as `http://127.0.0.1:11434/v1`; the provider's own otherwise. */
  readonly baseURL?: string
  /** Sent with each request, in place of those of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * How long it may send nothing, before its answer or in the middle of it: 5 minutes unless said otherwise, 30 for a
   * server of the OpenAI-compatible type, which may have to read a long prompt slowly. 0 is for ever.
   */
  readonly silenceMs?: number
  /** How much its models shall think; left to the provider unless said. */
  readonly reasoning?: Reasoning
}

export type Reasoning = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** OpenAI, or a proxy in front of it. */
export interface OpenAiConfig extends Reached {
  readonly type: 'openai'
  /** The Responses API unless said otherwise. Nothing is left in OpenAI's store: the harness keeps the conversation. */
  readonly api?: 'responses' | 'chat'
}

export interface AnthropicConfig extends Reached {
  readonly type: 'anthropic'
}

/** Gemini, by Google's Generative AI API. */
export interface GoogleConfig extends Reached {
  readonly type: 'google'
}

/** Vercel's AI gateway: its models are named like `openai/gpt-5`. */
export interface GatewayConfig extends Reached {
  readonly type: 'gateway'
}

/** Any server that speaks OpenAI's chat completions, such as Ollama, vLLM, LM Studio. May need no key. */
export interface OpenAiCompatibleConfig extends Reached {
  readonly type: 'openai-compatible'
  readonly baseURL: string
  /** Ask for token counts with each answer: yes unless `false`, for a server that refuses to be asked. */
  readonly includeUsage?: boolean
}

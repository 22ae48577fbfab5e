import type { ModelsConfig, ProviderConfig } from './models-config.ts'

const OPENAI = 'api.openai.com'

/**
 * The providers that the usual variables speak of: `OPENAI_API_KEY`, `OPENAI_BASE_URL`, `ANTHROPIC_API_KEY`,
 * `GOOGLE_GENERATIVE_AI_API_KEY`, `AI_GATEWAY_API_KEY`. Pure. An empty variable counts as missing; a provider without
 * its key is there as well, and says so when it is asked for a model.
 *
 * With a base URL that is not OpenAI's, `openai` is a server of the OpenAI-compatible type: what is behind such a URL
 * speaks chat completions, seldom the Responses API, and often needs no key.
 */
export function providersFromEnv(env: Readonly<Record<string, string | undefined>>): ModelsConfig['providers'] {
  const key = (name: string) => (env[name] ? { apiKey: env[name] } : {})
  return {
    openai: openaiFrom(env['OPENAI_BASE_URL'], key('OPENAI_API_KEY')),
    anthropic: { type: 'anthropic', ...key('ANTHROPIC_API_KEY') },
    google: { type: 'google', ...key('GOOGLE_GENERATIVE_AI_API_KEY') },
    gateway: { type: 'gateway', ...key('AI_GATEWAY_API_KEY') },
  }
}

function openaiFrom(baseURL: string | undefined, key: { readonly apiKey?: string }): ProviderConfig {
  const host = baseURL ? URL.parse(baseURL)?.hostname : OPENAI
  if (!baseURL || host === OPENAI) return { type: 'openai', ...key }
  // A region of it, such as eu.api.openai.com.
  if (host?.endsWith(`.${OPENAI}`)) return { type: 'openai', baseURL, ...key }
  return { type: 'openai-compatible', baseURL, ...key }
}

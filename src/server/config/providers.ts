import type { ModelsConfig, ProviderConfig } from '../../agent/models-config.ts'
import { offlineIdentity } from '../../agent/offline-model.ts'
import type { Environment, SettingName } from './environment.ts'

type Texts = Readonly<Record<string, string | undefined>>
type Providers = ModelsConfig['providers']

/** Where the keys of the services are that serve nobody without one. */
const keySettings = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  gateway: 'AI_GATEWAY_API_KEY',
} as const satisfies Record<string, SettingName>

/** The variable with the key of a provider: `my-lab` has it in `MY_LAB_API_KEY`. */
export const keyVariable = (name: string): string =>
  isVendor(name) ? keySettings[name] : `${name.toUpperCase().replaceAll('-', '_')}_API_KEY`

const isVendor = (name: string): name is keyof typeof keySettings => name in keySettings

/** The model services of an environment, by name. A key is only sent to the service whose name it has. */
export function providersOf(values: Environment, env: Texts): Providers {
  const key = (name: string) => {
    const apiKey = env[keyVariable(name)]
    return apiKey === undefined ? {} : { apiKey }
  }
  const compatible = (name: string, baseURL: string): ProviderConfig => ({
    type: 'openai-compatible',
    baseURL,
    ...key(name),
  })
  const more = values.HARNESS_PROVIDERS.map((item): [string, ProviderConfig] => {
    const name = item.slice(0, item.indexOf('='))
    return [name, compatible(name, item.slice(name.length + 1))]
  })
  const { OPENAI_BASE_URL: other } = values
  return {
    openai: other === undefined ? { type: 'openai', ...key('openai') } : compatible('openai', other),
    anthropic: { type: 'anthropic', ...key('anthropic') },
    google: { type: 'google', ...key('google') },
    gateway: { type: 'gateway', ...key('gateway') },
    ollama: compatible('ollama', values.OLLAMA_BASE_URL),
    ...Object.fromEntries(more),
  }
}

/** What is wrong with the choice of models, one line each. */
export function modelProblems({ HARNESS_MODEL: model }: Environment, providers: Providers): readonly string[] {
  const name = model.slice(0, model.indexOf(':'))
  const known = [offlineIdentity.provider, ...Object.keys(providers)]
  const chosen = providers[name]
  const isUnknown = !known.includes(name)
  const lacksKey = chosen && chosen.type !== 'openai-compatible' && chosen.apiKey === undefined
  return [
    ...(offlineIdentity.provider in providers
      ? [`HARNESS_PROVIDERS: the name ${offlineIdentity.provider} belongs to the built-in model`]
      : []),
    ...(isUnknown ? [`HARNESS_MODEL: there is no provider ${JSON.stringify(name)}, only ${known.join(', ')}`] : []),
    ...(lacksKey ? [`${keyVariable(name)}: is needed for ${model}, the model of HARNESS_MODEL`] : []),
  ]
}

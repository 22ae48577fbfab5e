import type { ProviderConfig } from '../../agent/models-config.ts'
import type { ServerConfig } from '../config.ts'
import { maskedUrl } from './masked-url.ts'
import { keyVariable } from './providers.ts'
import { maskedTokens } from './tokens.ts'

type Line = readonly [name: string, value: string | number]

/** What `--print-config` prints: the configuration in effect as variables, with secrets masked. */
export function printedConfig(config: ServerConfig): string {
  const { openai, anthropic: _a, google: _g, gateway: _v, ollama, ...others } = config.models.providers
  const more = Object.entries(others).map(([name, provider]) => `${name}=${placeOf(provider)}`)
  const keys = Object.entries(config.models.providers).filter(([, { apiKey }]) => apiKey !== undefined)
  const lines: readonly Line[] = [
    ['PORT', config.port],
    ['HOST', config.host],
    ['HARNESS_TOKENS', maskedTokens(config.tokens)],
    ['DATABASE_URL', maskedUrl(config.databaseUrl)],
    ['HARNESS_MODEL', config.models.default],
    ['OPENAI_BASE_URL', placeOf(openai)],
    ['OLLAMA_BASE_URL', placeOf(ollama)],
    ['HARNESS_PROVIDERS', more.join(',')],
    ...keys.map(([name]): Line => [keyVariable(name), '***']),
    ['HARNESS_WORKSPACE', config.workspace],
    ['HARNESS_SUBAGENTS', config.subagents.file ?? ''],
    ['HARNESS_SUBAGENT_DEPTH', config.maxSubagentDepth],
    ['HARNESS_ORIGINS', config.origins.join(',')],
    ['HARNESS_HOSTS', config.hosts.join(',')],
    ['LOG_LEVEL', config.logLevel],
  ]
  return lines.map(([name, value]) => `${name}=${value}`).join('\n')
}

const placeOf = (provider: ProviderConfig | undefined): string => maskedUrl(provider?.baseURL ?? '')

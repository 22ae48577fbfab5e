import type { ModelsConfig } from '../agent/models-config.ts'
import { environment, type Environment } from './config/environment.ts'
import { modelProblems, providersOf } from './config/providers.ts'

/** Everything that operators decide, read once at the start. */
export interface ServerConfig {
  readonly port: number
  readonly host: string
  readonly databaseUrl: string
  readonly models: ModelsConfig
  readonly origins: readonly string[]
  readonly hosts: readonly string[]
  readonly logLevel: Environment['LOG_LEVEL']
  /** Variables that look like ours and are none: maybe misspelt. */
  readonly ignored: readonly string[]
}

type Texts = Readonly<Record<string, string | undefined>>

type Reading =
  | { readonly ok: true; readonly config: ServerConfig }
  /** Every problem, one line each. */
  | { readonly ok: false; readonly problems: readonly string[] }

/** Reads the configuration from environment variables. A variable that is empty counts as missing. */
export function readConfig(variables: Texts): Reading {
  const env = Object.fromEntries(Object.entries(variables).filter(([, text]) => text !== ''))
  const parsed = environment.safeParse(env)
  if (!parsed.success) {
    const { issues } = parsed.error
    return { ok: false, problems: issues.map(({ path, message }) => problem(String(path[0]), message, env)) }
  }
  const values = parsed.data
  const providers = providersOf(values, env)
  const problems = modelProblems(values, providers)
  if (problems.length > 0) return { ok: false, problems }
  const config: ServerConfig = {
    port: values.PORT,
    host: values.HOST,
    databaseUrl: values.DATABASE_URL,
    models: { default: values.HARNESS_MODEL, providers },
    origins: values.HARNESS_ORIGINS,
    hosts: values.HARNESS_HOSTS,
    logLevel: values.LOG_LEVEL,
    ignored: Object.keys(env).filter((name) => name.startsWith('HARNESS_') && !(name in environment.shape)),
  }
  return { ok: true, config: deepFrozen(config) }
}

const MAX_SHOWN = 100

function problem(name: string, message: string, env: Texts): string {
  const text = env[name] ?? ''
  const mayHoldSecret = name === 'DATABASE_URL' && !text.startsWith('file:')
  return mayHoldSecret ? `${name}: ${message}` : `${name}: ${message}, got ${JSON.stringify(text.slice(0, MAX_SHOWN))}`
}

function deepFrozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner as object)
  return Object.freeze(value)
}

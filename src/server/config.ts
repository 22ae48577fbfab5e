import type { ModelsConfig } from '../agent/models-config.ts'
import type { SubagentDefinition } from '../domain/delegation/definition.ts'
import type { TokenGrant } from './auth/token-authenticator.ts'
import { defaultSubagents } from './config/default-subagents.ts'
import { environment, type Environment } from './config/environment.ts'
import { isLoopback } from './config/is-loopback.ts'
import { modelProblems, providersOf } from './config/providers.ts'

/** Everything that operators decide, read once at the start. */
export interface ServerConfig {
  readonly port: number
  readonly host: string
  /** Who may use the server; everybody on this machine when there is none. */
  readonly tokens: readonly TokenGrant[]
  readonly databaseUrl: string
  readonly models: ModelsConfig
  /** The folder of the workspace tools. */
  readonly workspace: string
  /** The agents to which runs may delegate, and the file that names them; none for those that come along. */
  readonly subagents: { readonly file?: string; readonly definitions: readonly SubagentDefinition[] }
  readonly maxSubagentDepth: number
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
    const issues: readonly Issue[] = parsed.error.issues.map(({ path, message }) => [String(path[0]), message])
    const all = [...issues, ...hostIssues(env)].toSorted(([one], [other]) => placeOf(one) - placeOf(other))
    return { ok: false, problems: all.map((issue) => problem(issue, env)) }
  }
  const values = parsed.data
  const providers = providersOf(values, env)
  const problems = [...hostIssues(env).map((issue) => problem(issue, env)), ...modelProblems(values, providers)]
  if (problems.length > 0) return { ok: false, problems }
  const config: ServerConfig = {
    port: values.PORT,
    host: values.HOST,
    tokens: values.HARNESS_TOKENS ?? [],
    databaseUrl: values.DATABASE_URL,
    models: { default: values.HARNESS_MODEL, providers },
    workspace: values.HARNESS_WORKSPACE,
    subagents: values.HARNESS_SUBAGENTS ?? { definitions: defaultSubagents },
    maxSubagentDepth: values.HARNESS_SUBAGENT_DEPTH,
    origins: values.HARNESS_ORIGINS,
    hosts: values.HARNESS_HOSTS,
    logLevel: values.LOG_LEVEL,
    ignored: Object.keys(env).filter((name) => name.startsWith('HARNESS_') && !(name in environment.shape)),
  }
  return { ok: true, config: deepFrozen(config) }
}

const MAX_SHOWN = 100

type Issue = readonly [name: string, message: string]

const placeOf = (name: string): number => Object.keys(environment.shape).indexOf(name)

/** Whoever can be reached from elsewhere has to know who calls. */
function hostIssues({ HOST: host = '', HARNESS_TOKENS: tokens = '' }: Texts): readonly Issue[] {
  if (host === '' || isLoopback(host) || tokens !== '') return []
  return [['HOST', 'must be 127.0.0.1, localhost or ::1 without HARNESS_TOKENS, which says who may call from elsewhere']]
}

function problem([name, message]: Issue, env: Texts): string {
  const text = env[name] ?? ''
  const mayHoldSecret = name === 'HARNESS_TOKENS' || (name === 'DATABASE_URL' && !text.startsWith('file:'))
  return mayHoldSecret ? `${name}: ${message}` : `${name}: ${message}, got ${JSON.stringify(text.slice(0, MAX_SHOWN))}`
}

function deepFrozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) deepFrozen(inner as object)
  return Object.freeze(value)
}

import { isIP } from 'node:net'
import { z } from 'zod'
import { modelName } from '../../agent/model-name.ts'
import { offlineIdentity } from '../../agent/offline-model.ts'
import { highestLimits } from '../../domain/limits.ts'
import { readSubagents } from './subagents.ts'
import { readTokens } from './tokens.ts'

const portMessage = 'must be a port number from 0 to 65535'
const port = z
  .string()
  .regex(/^\d{1,5}$/, portMessage)
  .transform(Number)
  .refine((number) => number <= 65_535, portMessage)

const host = z
  .string()
  .refine((text) => isIP(text) > 0 || /^[a-z\d]([\w.-]*[a-z\d])?$/i.test(text), 'must be an IP address or a host name')

const tokens = z.string().transform((text, context) => {
  const reading = readTokens(text)
  if (reading.ok) return reading.grants
  for (const message of reading.problems) context.addIssue({ code: 'custom', message })
  return z.NEVER
})

const subagents = z.string().transform((file, context) => {
  const reading = readSubagents(file)
  if (reading.ok) return { file, definitions: reading.definitions }
  for (const message of reading.problems) context.addIssue({ code: 'custom', message })
  return z.NEVER
})

const depthMessage = `must be a number from 1 to ${highestLimits.maxSubagentDepth}`
const subagentDepth = z
  .string()
  .regex(/^\d$/, depthMessage)
  .transform(Number)
  .refine((depth) => depth >= 1 && depth <= (highestLimits.maxSubagentDepth ?? depth), depthMessage)

const isDatabaseUrl = (text: string): boolean =>
  /^file:./.test(text) || (/^postgres(?:ql)?:\/\/./.test(text) && URL.canParse(text))

const databaseUrl = z
  .string()
  .refine(isDatabaseUrl, 'must be file:PATH or postgresql://USER:PASSWORD@HOST:PORT/DATABASE')

const model = z.string().regex(/^[a-z][\w-]*:\S.*$/i, 'must be PROVIDER:MODEL, such as ollama:llama3.2')

const items = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const isOrigin = (text: string): boolean => /^https?:/.test(text) && URL.parse(text)?.origin === text.toLowerCase()

const origins = z
  .string()
  .transform(items)
  .refine((all) => all.every(isOrigin), 'must be origins separated by commas, such as http://localhost:5173')

const isHost = (text: string): boolean => /^[^/?#@\\\s]+$/.test(text) && URL.canParse(`http://${text}`)

const hosts = z
  .string()
  .transform(items)
  .refine((all) => all.every(isHost), 'must be HOST or HOST:PORT separated by commas, such as agents.example.com')

const httpUrl = z
  .string()
  .refine((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'must be an http:// or https:// URL')

const isProvider = (text: string): boolean =>
  /^[a-z][\w-]*=/i.test(text) && httpUrl.safeParse(text.slice(text.indexOf('=') + 1)).success

const providers = z
  .string()
  .transform(items)
  .refine((all) => all.every(isProvider), 'must be NAME=URL separated by commas, such as lab=http://127.0.0.1:8000/v1')

const folder = z.string().regex(/^\P{Cc}+$/u, 'must be the path of a folder')

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'] as const
const logLevel = z.enum(logLevels, `must be one of ${logLevels.join(', ')}`)

/**
 * What operators set: how each text is read, what stands in for a missing one, and what it means. Help, messages and
 * the printed configuration are made of this table.
 */
export const environment = z.object({
  PORT: port.prefault('4000').describe('Port to listen on; 0 takes any free one'),
  HOST: host.prefault('127.0.0.1').describe('Address to listen on; one that others than this machine can reach needs HARNESS_TOKENS'),
  HARNESS_TOKENS: tokens
    .optional()
    .describe(
      'Who may use the server, as TOKEN=ROLE:SCOPE,SCOPE;… with the roles VIEWER, OPERATOR and ADMIN, and scopes that are ' +
        'ids, or beginnings of ids followed by *. Without it, callers on this machine may do everything',
    ),
  DATABASE_URL: databaseUrl
    .prefault('file:./data/flexharness.db')
    .describe('file:PATH for SQLite, created when missing, or postgresql://…'),
  HARNESS_MODEL: model
    .prefault(modelName(offlineIdentity))
    .describe('PROVIDER:MODEL that answers prompts which name none'),
  OPENAI_API_KEY: z.string().optional().describe('Key for models named openai:…'),
  OPENAI_BASE_URL: httpUrl
    .optional()
    .describe('Another server for models named openai:…, with the API of chat completions'),
  ANTHROPIC_API_KEY: z.string().optional().describe('Key for models named anthropic:…'),
  GOOGLE_GENERATIVE_AI_API_KEY: z.string().optional().describe('Key for models named google:…'),
  AI_GATEWAY_API_KEY: z.string().optional().describe("Key for models named gateway:…, of Vercel's AI gateway"),
  OLLAMA_BASE_URL: httpUrl.prefault('http://127.0.0.1:11434/v1').describe('Where models named ollama:… are served'),
  HARNESS_PROVIDERS: providers
    .prefault('')
    .describe('More servers with the API of OpenAI, as NAME=URL,NAME=URL; their keys are in NAME_API_KEY'),
  HARNESS_WORKSPACE: folder
    .prefault('./workspace')
    .describe('Folder whose files the built-in tools read and write, created when missing'),
  HARNESS_SUBAGENTS: subagents
    .optional()
    .describe(
      'JSON file with a list of the subagents to which runs may delegate, each with name, description and, if you like, ' +
        'modelHint, system, maxSteps, budget and tools. Without it, there are a researcher and a writer',
    ),
  HARNESS_SUBAGENT_DEPTH: subagentDepth
    .prefault('2')
    .describe(`How many levels of sessions runs may create below yours by delegation, 1 to ${highestLimits.maxSubagentDepth}`),
  HARNESS_ORIGINS: origins
    .prefault('')
    .describe('Origins of web pages that may use the server beside its own, separated by commas'),
  HARNESS_HOSTS: hosts
    .prefault('')
    .describe('Names under which the server answers beside its own, such as that of a proxy, separated by commas'),
  LOG_LEVEL: logLevel.prefault('info').describe(`How much is logged to standard error: ${logLevels.join(', ')}`),
})

export type Environment = z.output<typeof environment>
export type SettingName = keyof Environment

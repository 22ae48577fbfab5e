import { expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { environment } from './config/environment.ts'
import { help } from './config/help.ts'
import { printedConfig } from './config/printed-config.ts'

type Texts = Readonly<Record<string, string>>

const configOf = (env: Texts) => {
  const reading = readConfig(env)
  if (!reading.ok) throw new Error(reading.problems.join('\n'))
  return reading.config
}

const problemsOf = (env: Texts) => {
  const reading = readConfig(env)
  return reading.ok ? [] : reading.problems
}

test('an empty environment is a complete configuration, and cannot be changed', () => {
  const config = configOf({})
  expect(config).toMatchObject({ port: 4000, host: '127.0.0.1', databaseUrl: 'file:./data/flexharness.db' })
  expect(config.logLevel).toBe('info')
  expect(config.models).toMatchObject({ default: 'offline:offline' })
  expect(config).toMatchObject({ workspace: './workspace', origins: [], hosts: [], ignored: [] })
  expect(Object.isFrozen(config) && Object.isFrozen(config.models.providers)).toBe(true)
})

test('an empty variable counts as missing', () => {
  expect(configOf({ PORT: '', HARNESS_MODEL: '' })).toEqual(configOf({}))
})

test.each<readonly [Texts, string]>([
  [{ PORT: 'abc' }, 'PORT: must be a port number from 0 to 65535, got "abc"'],
  [{ PORT: '65536' }, 'PORT: must be a port number from 0 to 65535, got "65536"'],
  [{ PORT: '-1' }, 'PORT: must be a port number from 0 to 65535, got "-1"'],
  [
    { HOST: '0.0.0.0' },
    'HOST: must be 127.0.0.1, localhost or ::1 without HARNESS_TOKENS, which says who may call from elsewhere, got "0.0.0.0"',
  ],
  [
    { DATABASE_URL: 'mysql://root:secret@db/x' },
    'DATABASE_URL: must be file:PATH or postgresql://USER:PASSWORD@HOST:PORT/DATABASE',
  ],
  [{ HARNESS_MODEL: 'gpt' }, 'HARNESS_MODEL: must be PROVIDER:MODEL, such as ollama:llama3.2, got "gpt"'],
  [
    { HARNESS_MODEL: 'lab:big' },
    'HARNESS_MODEL: there is no provider "lab", only offline, openai, anthropic, google, gateway, ollama',
  ],
  [{ HARNESS_MODEL: 'openai:gpt-5' }, 'OPENAI_API_KEY: is needed for openai:gpt-5, the model of HARNESS_MODEL'],
  [
    { HARNESS_MODEL: 'google:gemini-3' },
    'GOOGLE_GENERATIVE_AI_API_KEY: is needed for google:gemini-3, the model of HARNESS_MODEL',
  ],
  [{ OLLAMA_BASE_URL: 'localhost' }, 'OLLAMA_BASE_URL: must be an http:// or https:// URL, got "localhost"'],
  [
    { HARNESS_PROVIDERS: 'lab' },
    'HARNESS_PROVIDERS: must be NAME=URL separated by commas, such as lab=http://127.0.0.1:8000/v1, got "lab"',
  ],
  [
    { HARNESS_PROVIDERS: 'offline=http://127.0.0.1:8000/v1' },
    'HARNESS_PROVIDERS: the name offline belongs to the built-in model',
  ],
  [{ HARNESS_WORKSPACE: 'a\nb' }, 'HARNESS_WORKSPACE: must be the path of a folder, got "a\\nb"'],
  [{ HARNESS_SUBAGENT_DEPTH: '9' }, 'HARNESS_SUBAGENT_DEPTH: must be a number from 1 to 8, got "9"'],
  [{ HARNESS_SUBAGENT_DEPTH: '0' }, 'HARNESS_SUBAGENT_DEPTH: must be a number from 1 to 8, got "0"'],
  [
    { HARNESS_ORIGINS: 'http://localhost:1/app' },
    'HARNESS_ORIGINS: must be origins separated by commas, such as http://localhost:5173, got "http://localhost:1/app"',
  ],
  [
    { HARNESS_HOSTS: 'https://a.example' },
    'HARNESS_HOSTS: must be HOST or HOST:PORT separated by commas, such as agents.example.com, got "https://a.example"',
  ],
  [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL: must be one of silent, error, warn, info, debug, got "loud"'],
])('%j is refused with one line', (env, line) => {
  expect(problemsOf(env)).toEqual([line])
})

test('all problems are told at once', () => {
  expect(problemsOf({ PORT: 'x', HOST: '10.0.0.1', LOG_LEVEL: 'loud' }).map((line) => line.split(':', 1)[0])).toEqual([
    'PORT',
    'HOST',
    'LOG_LEVEL',
  ])
})

test('any server with the API of OpenAI is a provider, with its own key and no other', () => {
  const { models } = configOf({
    HARNESS_MODEL: 'my-lab:big',
    HARNESS_PROVIDERS: 'my-lab=http://127.0.0.1:8000/v1, other=https://models.example.com/v1',
    MY_LAB_API_KEY: 'lab-key',
    OPENAI_API_KEY: 'openai-key',
  })
  expect(models).toEqual({
    default: 'my-lab:big',
    providers: {
      openai: { type: 'openai', apiKey: 'openai-key' },
      anthropic: { type: 'anthropic' },
      google: { type: 'google' },
      gateway: { type: 'gateway' },
      ollama: { type: 'openai-compatible', baseURL: 'http://127.0.0.1:11434/v1' },
      'my-lab': { type: 'openai-compatible', baseURL: 'http://127.0.0.1:8000/v1', apiKey: 'lab-key' },
      other: { type: 'openai-compatible', baseURL: 'https://models.example.com/v1' },
    },
  })
})

test('another server than that of OpenAI needs no key, and is spoken to in the way that all of them understand', () => {
  const { models } = configOf({ HARNESS_MODEL: 'openai:local', OPENAI_BASE_URL: 'http://127.0.0.1:1234/v1' })
  expect(models.providers['openai']).toEqual({ type: 'openai-compatible', baseURL: 'http://127.0.0.1:1234/v1' })
})

test('a variable of ours that does not exist is told apart', () => {
  expect(configOf({ HARNESS_MODLE: 'x', OTHER: 'y' }).ignored).toEqual(['HARNESS_MODLE'])
})

test('the folder of the workspace is printed as it is in effect', () => {
  expect(printedConfig(configOf({ HARNESS_WORKSPACE: '/srv/my files' }))).toContain('\nHARNESS_WORKSPACE=/srv/my files\n')
  expect(printedConfig(configOf({}))).toContain('\nHARNESS_WORKSPACE=./workspace\n')
})

test('the configuration is printed without its secrets', () => {
  const printed = printedConfig(
    configOf({
      DATABASE_URL: 'postgresql://user:hunter2@db.example.com:5432/flex?password=hunter3',
      OPENAI_API_KEY: 'sk-secret',
      HARNESS_PROVIDERS: 'lab=https://me:hunter4@lab.example.com/v1',
      LAB_API_KEY: 'lab-secret',
    }),
  )
  expect(printed).toContain('DATABASE_URL=postgresql://user:***@db.example.com:5432/flex?password=***')
  expect(printed).toContain('OPENAI_API_KEY=***')
  expect(printed).toContain('LAB_API_KEY=***')
  expect(printed).not.toMatch(/hunter|secret/)
})

test('the help has a line for every setting', () => {
  for (const name of Object.keys(environment.shape)) expect(help()).toMatch(new RegExp(`^  ${name} +\\S.*\\.$`, 'm'))
  expect(help()).toContain('Port to listen on; 0 takes any free one (4000).')
})

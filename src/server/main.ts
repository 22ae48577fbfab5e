#!/usr/bin/env node
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { readConfig, type ServerConfig } from './config.ts'
import { help } from './config/help.ts'
import { printedConfig } from './config/printed-config.ts'
import { pinoLog } from './pino-log.ts'
import { startProblem } from './start-problem.ts'

const FAILED = 1
/** How shells tell that a signal has ended a process. */
const SIGNALLED = 128
const OFFLINE = 'The built-in offline model answers. HARNESS_MODEL names a real one.'

function main(): void {
  const asked = commandLine()
  if (asked.help) {
    console.log(help())
    return
  }
  const reading = readConfig(process.env)
  if (!reading.ok) fail(...reading.problems)
  if (asked['print-config']) console.log(printedConfig(reading.config))
  else serve(reading.config)
}

function commandLine(): { readonly help?: boolean; readonly 'print-config'?: boolean } {
  try {
    return parseArgs({ options: { help: { type: 'boolean' }, 'print-config': { type: 'boolean' } } }).values
  } catch (error) {
    fail(error instanceof Error ? error.message : String(error))
  }
}

function serve(config: ServerConfig): void {
  const log = pinoLog(config.logLevel)
  for (const name of config.ignored) log.warn({ name }, 'this environment variable means nothing to this version')

  const crash = (error: unknown): never => {
    log.error({ err: error }, 'flexharness ends because of an error that nobody handled')
    process.exit(FAILED)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)

  const starting = import('./compose.ts').then(({ compose }) => compose(config, log))

  const stop = (signal: 'SIGTERM' | 'SIGINT'): void => {
    for (const again of ['SIGTERM', 'SIGINT'] as const) {
      process.removeAllListeners(again)
      process.on(again, () => process.exit(SIGNALLED + constants.signals[again]))
    }
    log.info({ signal }, 'flexharness is stopping')
    starting.then((server) => server.close()).then(() => process.exit(), crash)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  starting.then(
    ({ url, answersOffline }) => {
      const ready = `flexharness is ready at ${url}`
      console.log(answersOffline ? `${ready}\n${OFFLINE}` : ready)
    },
    (error: unknown) => {
      const problem = startProblem(error, config)
      if (problem === undefined) log.error({ err: error }, 'flexharness could not start')
      fail(problem ?? `flexharness could not start: ${error instanceof Error ? error.message : String(error)}`)
    },
  )
}

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line)
  process.exit(FAILED)
}

main()

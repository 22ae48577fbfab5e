#!/usr/bin/env node
import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import type { Log } from '../ports/telemetry.ts'
import type { RunningServer } from './compose.ts'
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

  let running: RunningServer | undefined
  let isStopping = false
  const stop = (signal: 'SIGTERM' | 'SIGINT'): void => {
    if (isStopping || !running) process.exit(SIGNALLED + constants.signals[signal])
    isStopping = true
    log.info({ signal }, 'flexharness is stopping')
    running.close().then(() => process.exit(), crash)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)

  start(config, log).then((server) => {
    running = server
    const ready = `flexharness is ready at ${server.url}`
    console.log(server.answersOffline ? `${ready}\n${OFFLINE}` : ready)
  }, crash)
}

/** Says why when it cannot start, and ends the process. */
async function start(config: ServerConfig, log: Log): Promise<RunningServer> {
  try {
    const { compose } = await import('./compose.ts')
    return await compose(config, log)
  } catch (error) {
    const problem = startProblem(error, config)
    if (problem === undefined) log.error({ err: error }, 'flexharness could not start')
    fail(problem ?? `flexharness could not start: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function fail(...lines: readonly string[]): never {
  for (const line of lines) console.error(line)
  process.exit(FAILED)
}

main()

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * The Chromium of the tests: `CHROMIUM_PATH`, else the first one that is installed. A suite begins with
 * `const path = chromiumPath()` and `describe.skipIf(path === undefined)`.
 */

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
const PLACES = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const VERSION_DEADLINE_MS = 30_000

/** It reaches this machine and nothing else, and starts nothing of its own accord. */
const ARGUMENTS = [
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  '--no-proxy-server',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Undefined, and a warning on stderr, when there is none. */
export function chromiumPath(): string | undefined {
  const named = process.env['CHROMIUM_PATH']
  if (named !== undefined) return named
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)]
  const found = [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES].find(isBrowser)
  if (found === undefined) process.emitWarning('no Chromium is installed, set CHROMIUM_PATH', 'SKIPPED')
  return found
}

/** Headless, with a profile of its own that is removed when it is closed. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: ARGUMENTS })
}

/** Some systems have a script of that name that only tells how to install one. */
const isBrowser = (path: string): boolean =>
  existsSync(path) && spawnSync(path, ['--version'], { stdio: 'ignore', timeout: VERSION_DEADLINE_MS }).status === 0

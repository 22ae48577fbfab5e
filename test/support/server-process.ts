import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/server/main.ts', import.meta.url))
const START_DEADLINE_MS = 60_000
const READY = /flexharness is ready at (\S+)/

type Env = Readonly<Record<string, string>>

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** The real process, with nothing of this process' environment but the path. It is killed when its scope ends. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly pid: number
  /** What it has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Resolves when it has written this to standard error; rejects when it ends before. */
  stderrLine(text: string): Promise<void>
  /** Sends a signal, and resolves when the process has ended. */
  end(signal: NodeJS.Signals): Promise<Exit>
  signal(signal: NodeJS.Signals): void
  readonly ended: Promise<Exit>
}

export interface Launch {
  /** The working folder, and the one of the database. */
  readonly folder: string
  readonly env?: Env
  readonly args?: readonly string[]
  /** The file to run; the server itself when absent. */
  readonly program?: string
}

/** A folder that is removed when the scope that asked for it ends. */
export function scratchFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'flexharness-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Starts the process; for one that ends by itself. */
export async function runServer(launch: Launch): Promise<Exit> {
  return start(launch).ended
}

/** Starts the process and resolves when it says that it is ready. Fails with its output when it ends before. */
export async function startServer(launch: Launch): Promise<ServerProcess> {
  const { child, stdout, stderr, ended } = start(launch)
  const url = await new Promise<string>((resolve, reject) => {
    const told = (why: string): void => {
      child.kill('SIGKILL')
      reject(new Error(`${why}\n${stdout()}\n${stderr()}`))
    }
    const deadline = setTimeout(() => told('The server was not ready in time.'), START_DEADLINE_MS)
    child.stdout.on('data', () => {
      const [, found] = READY.exec(stdout()) ?? []
      if (found === undefined) return
      clearTimeout(deadline)
      resolve(found)
    })
    void ended.then(({ code, signal }) => {
      clearTimeout(deadline)
      told(`The server ended with ${code ?? signal}.`)
    })
  })
  return {
    url,
    pid: child.pid ?? 0,
    stdout,
    stderr,
    ended,
    signal: (signal) => void child.kill(signal),
    stderrLine: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!stderr().includes(text)) return
          child.stderr.off('data', look)
          resolve()
        }
        child.stderr.on('data', look)
        void ended.then(() => reject(new Error(`It ended without ${text}.`)))
        look()
      }),
    end(signal) {
      child.kill(signal)
      return ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function start({ folder, env = {}, args = [], program = MAIN }: Launch) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], PORT: '0', DATABASE_URL: 'file:./data/test.db', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text))
  const ended = once(child, 'close').then(([code, signal]): Exit => {
    return { code: code as number | null, signal: signal as NodeJS.Signals | null, stdout: out, stderr: err }
  })
  return { child, stdout: () => out, stderr: () => err, ended }
}

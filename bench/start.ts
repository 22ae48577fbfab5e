/** Row e: how long the process takes to be ready, and what it weighs, beside the libraries that it loads. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { megabytes, milliseconds, ratio } from './support/figures.ts'
import type { Report } from './support/report.ts'
import { scratchFolder } from './support/scratch.ts'
import { often, type Sizes } from './support/sizes.ts'
import { spreadOf } from './support/spread.ts'

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const MAIN = fileOf('../src/server/main.ts')
const IMPORTED = fileOf('processes/imported.ts')
const RECORD = pathToFileURL(fileOf('processes/record-imports.ts')).href

const NOTHING = "console.log('ready'); setInterval(() => undefined, 60_000)"

interface Launch {
  readonly name: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** The working folder for the start with this number. */
  readonly folder: (time: number) => string
}

interface Started {
  /** Milliseconds until it says that it is ready. */
  readonly ready: number
  readonly rss: number
}

export async function* start(sizes: Sizes): AsyncGenerator<Report> {
  using folder = scratchFolder()
  const imports = path.join(folder.path, 'imports.json')
  const at = (name: string): string => path.join(folder.path, name)
  const recording = { NODE_OPTIONS: `--import=${RECORD}`, BENCH_IMPORTS: imports }
  await started({ name: 'recorded', args: [MAIN], env: recording, folder: () => folder.path }, 0)
  const launches: readonly Launch[] = [
    { name: 'Node alone', args: ['--eval', NOTHING], folder: () => folder.path },
    { name: 'the same libraries, merely imported', args: [IMPORTED, imports], folder: () => folder.path },
    { name: 'server, new database', args: [MAIN], folder: (time) => at(`new-${time}`) },
    { name: 'server, database that is there', args: [MAIN], folder: () => folder.path },
  ]
  const found = launches.map((launch) => ({ launch, samples: [] as Started[] }))
  for (let time = 0; time < often(sizes, 11); time++) {
    for (const { launch, samples } of found) samples.push(await started(launch, time))
  }
  const measured = found.map(({ launch: { name }, samples }) => ({
    name,
    ready: spreadOf(samples.map(({ ready }) => ready)),
    rss: spreadOf(samples.map(({ rss }) => rss)).p50,
  }))
  const baseline = measured[1]
  yield {
    title: 'e. Starting',
    about:
      'The real process, with SQLite and the offline model, from its launch to the line that says that it is ' +
      'ready, and its resident memory at that moment, by turns. The libraries are exactly the packages that the ' +
      'files of `src/` have loaded by then, and nothing else. Not measured: `npm`, and a cold cache of the disk.',
    columns: ['', 'ready p50', 'p95', '× imported', 'RSS p50', '× imported'],
    rows: measured.map(({ name, ready, rss }) => [
      name,
      milliseconds(ready.p50),
      milliseconds(ready.p95),
      ratio(ready.p50, baseline?.ready.p50 ?? 0),
      megabytes(rss),
      ratio(rss, baseline?.rss ?? 0),
    ]),
  }
}

async function started({ args, env, folder }: Launch, time: number): Promise<Started> {
  const begin = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATABASE_URL: `file:${path.join(folder(time), 'start.db')}`,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([once(child.stdout, 'data'), ended.then(() => Promise.reject(new Error('It ended at once.')))])
  const ready = performance.now() - begin
  const rss = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(child.pid)], { encoding: 'utf8' })) * 1024
  child.kill('SIGTERM')
  await ended
  return { ready, rss }
}

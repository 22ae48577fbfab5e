import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { type Attempt, type Effect, linesOf } from './journal.ts'
import type { Life } from './serving-process.ts'
import { scratchDatabase } from '../support/postgres.ts'
import { scratchFolder, type ServerProcess, startServer } from '../support/server-process.ts'

const PROGRAM = fileURLToPath(new URL('serving-process.ts', import.meta.url))
/** For a machine that has a lot to do. */
const PATIENCE_MS = 300_000
/** Longer than any deadline of a server. */
const ANSWER_MS = 90_000
const PAUSE_MS = 40

export interface Member extends ServerProcess {
  readonly name: string
}

export interface Reply {
  readonly data: Readonly<Record<string, unknown>>
  /** Of a mutation that was refused. */
  readonly code: string | undefined
}

/** Server processes that share a database and the files in which they note what they do. */
export class Fleet implements AsyncDisposable {
  readonly databaseUrl: string
  readonly #owned: AsyncDisposableStack
  readonly #folder: string
  readonly #members = new Set<Member>()
  #started = 0

  private constructor(owned: AsyncDisposableStack, { folder, databaseUrl }: { folder: string; databaseUrl: string }) {
    this.#owned = owned
    this.#folder = folder
    this.databaseUrl = databaseUrl
  }

  static async on(database: 'SQLite' | 'PostgreSQL'): Promise<Fleet> {
    await using owned = new AsyncDisposableStack()
    const { path: folder } = owned.use(scratchFolder())
    const scratch = database === 'PostgreSQL' ? owned.adopt(await scratchDatabase(), (it) => it.drop()) : undefined
    const databaseUrl = scratch?.url ?? `file:${join(folder, 'durable.db')}`
    return new Fleet(owned.move(), { folder, databaseUrl })
  }

  /** The processes that serve, or are suspended. */
  get members(): readonly Member[] {
    return [...this.#members]
  }

  async start(life: Pick<Life, 'leases' | 'death' | 'recovery'> = {}): Promise<Member> {
    const name = `process ${++this.#started}`
    const { databaseUrl } = this
    const args = [JSON.stringify({ ...life, name, databaseUrl, journal: this.#journal, effects: this.#effects })]
    const member = Object.assign(await startServer({ folder: this.#folder, args, program: PROGRAM }), { name })
    this.#members.add(member)
    void member.ended.then(() => this.#members.delete(member))
    return member
  }

  get attempts(): readonly Attempt[] {
    return linesOf(this.#journal) as Attempt[]
  }

  get effects(): readonly Effect[] {
    return linesOf(this.#effects) as Effect[]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members].map((member) => member.end('SIGKILL')))
    await this.#owned.disposeAsync()
  }

  get #journal(): string {
    return join(this.#folder, 'journal')
  }

  get #effects(): string {
    return join(this.#folder, 'effects')
  }
}

/** Asks one server. Rejects when it cannot be reached any more; throws when it answers what nobody expects. */
export async function askOne(url: string, query: string, variables: object): Promise<Reply> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query, variables })
  const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_MS) })
  const { data, errors } = (await response.json()) as { data?: Reply['data'] | null; errors?: unknown }
  if (errors || !data) throw new UnexpectedAnswer(JSON.stringify(errors))
  const codes = Object.values(data).flatMap((value) => (value as { readonly code?: string } | null)?.code ?? [])
  return { data, code: codes[0] }
}

class UnexpectedAnswer extends Error {}

/** Asks whichever server there is, again and again, until one has answered. */
export async function askAny(urls: () => readonly string[], query: string, variables: object): Promise<Reply> {
  let why = 'no server'
  return until(() => `answer to ${query} (the last: ${why})`, async () => {
    const all = urls()
    const url = all[Math.floor(Math.random() * all.length)]
    if (url === undefined) return undefined
    try {
      const reply = await askOne(url, query, variables)
      why = String(reply.code)
      return reply.code === 'SHUTTING_DOWN' ? undefined : reply
    } catch (error) {
      // A server that takes so long is not one that was killed.
      if (error instanceof UnexpectedAnswer || (error instanceof Error && error.name === 'TimeoutError')) throw error
      why = String(error)
      return undefined
    }
  })
}

/** What `look` sees as soon as it sees something. */
export async function until<T>(what: () => string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = systemClock.monotonic() + PATIENCE_MS
  for (;;) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (systemClock.monotonic() > deadline) throw new Error(`There was no ${what()} in time.`)
    await systemClock.sleep(PAUSE_MS)
  }
}

export const newId = (): string => randomUUID()

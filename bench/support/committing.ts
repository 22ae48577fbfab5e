import type { Session } from '../../src/domain/session/session.ts'
import { memoryStores, prismaStores, systemClock, systemIds } from '../../src/index.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { Committers } from '../../src/runtime/committers.ts'
import * as rows from '../../test/contract/support/rows.ts'
import { nextRow, openWorld } from '../../test/contract/support/world.ts'
import { rawPostgresql, rawSqlite, rawStatements, type RawWriter } from './raw-commits.ts'

/** Writers at most. */
export const MAX_WRITERS = 64
/** Connections to PostgreSQL, by hand as in the store. */
export const CONNECTIONS = 10

/** One of those whose commits are compared. */
export interface Committing extends AsyncDisposable {
  readonly name: string
  /** Commits for so long, with so many writers at once. Answers how many commits that were. */
  commit(writers: number, ms: number): Promise<number>
}

export const memoryCommitting = (): Promise<Committing> =>
  storeCommitting('memory', memoryStores({ clock: systemClock }))

export const sqliteCommitting = async (file: string): Promise<Committing> =>
  storeCommitting('SQLite store, FULL', await prismaStores({ url: `file:${file}` }))

export const postgresqlCommitting = async (url: string): Promise<Committing> =>
  storeCommitting('PostgreSQL store', await prismaStores({ url, poolSize: CONNECTIONS }))

/** A transaction for each commit. */
export async function rawSqliteCommitting(file: string): Promise<Committing> {
  const sessions = await newSessions(await prismaStores({ url: `file:${file}` }))
  const writer = rawSqlite(file)
  return {
    name: '`node:sqlite` by hand, FULL',
    commit: oneByOne(sessions, (session, n) => writer.commit(rawStatements(session, n))),
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  }
}

/** A transaction for all that write at once. */
export async function groupedSqliteCommitting(file: string): Promise<Committing> {
  const sessions = await newSessions(await prismaStores({ url: `file:${file}` }))
  const writer = rawSqlite(file)
  const written = sessions.map((session) => ({ session, parts: 0 }))
  return {
    name: '`node:sqlite` by hand, grouped',
    async commit(writers, ms) {
      const end = performance.now() + ms
      let count = 0
      for (; performance.now() < end; count += writers) {
        await writer.commit(written.slice(0, writers).flatMap((it) => rawStatements(it.session, it.parts++)))
      }
      return count
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  }
}

/** A transaction for each commit, on as many connections as the store has. */
export async function rawPostgresqlCommitting(url: string): Promise<Committing> {
  const sessions = await newSessions(await prismaStores({ url }))
  const idle: RawWriter[] = []
  for (let i = 0; i < CONNECTIONS; i++) idle.push(await rawPostgresql(url))
  const connections = [...idle]
  const waiting: ((writer: RawWriter) => void)[] = []
  const commit = async (session: Session, n: number): Promise<void> => {
    const writer = idle.pop() ?? (await new Promise<RawWriter>((resolve) => void waiting.push(resolve)))
    await writer.commit(rawStatements(session, n))
    const next = waiting.shift()
    if (next) next(writer)
    else idle.push(writer)
  }
  return {
    name: '`pg` by hand',
    commit: oneByOne(sessions, commit),
    async [Symbol.asyncDispose]() {
      for (const connection of connections) await connection[Symbol.asyncDispose]()
    },
  }
}

/** Closes the stores. */
async function storeCommitting(name: string, stores: Stores): Promise<Committing> {
  const sessions = await sessionsIn(stores)
  const log = { info: nothing, warn: nothing, error: nothing }
  const transport = { publish: nothing, listen: () => nothing }
  const committers = new Committers({ stores, transport, clock: systemClock, ids: systemIds, log })
  return {
    name,
    commit: oneByOne(sessions, (session, n) => committers.submit(finishedPart(session, n))),
    [Symbol.asyncDispose]: () => stores.close(),
  }
}

const nothing = (): undefined => undefined

async function sessionsIn(stores: Stores): Promise<readonly Session[]> {
  const world = await openWorld(stores)
  const sessions: Session[] = []
  for (let i = 0; i < MAX_WRITERS; i++) sessions.push(await world.create())
  return sessions
}

/** Closes the stores, so that somebody else can write. */
async function newSessions(stores: Stores): Promise<readonly Session[]> {
  const sessions = await sessionsIn(stores)
  await stores.close()
  return sessions
}

/** Each session has a writer, who goes on with the next part as soon as the last one is durable. */
function oneByOne(
  sessions: readonly Session[],
  write: (session: Session, n: number) => Promise<unknown>,
): Committing['commit'] {
  const written = sessions.map((session) => ({ session, parts: 0 }))
  return async (writers, ms) => {
    const end = performance.now() + ms
    let count = 0
    await Promise.all(
      written.slice(0, writers).map(async (it) => {
        while (performance.now() < end) {
          await write(it.session, it.parts++)
          count++
        }
      }),
    )
    return count
  }
}

function finishedPart(session: Session, n: number): Commit {
  const message = rows.messageOf(session, 1)
  const part = rows.partOf(message, n)
  const { runId, messageId, index: messageIndex } = message
  const address = { runId, messageId, partId: part.partId, messageIndex, partIndex: n }
  return {
    scopeKey: session.scopeKey,
    created: [],
    sessions: [nextRow({ ...session, revision: n }, { next: { ...session.next, log: n + 1 } })],
    rollUps: [],
    rows: [rows.insertPart(part), rows.insertLog(rows.logOf(session, n))],
    events: [
      rows.draftOf(session, n, { type: 'part.created', ...address }),
      rows.draftOf(session, n, { type: 'part.completed', ...address }),
    ],
  }
}

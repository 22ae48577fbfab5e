import type { SessionKey } from '../../src/kernel/ids.ts'
import type { LogEntry } from '../../src/domain/log/entry.ts'
import type { Message, Part } from '../../src/domain/message/message.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import type { Entry } from '../../src/domain/prompt/entry.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

/** Everything that is stored of one session, each kind in its order. */
export interface SessionState {
  readonly session: StoredSession
  readonly entries: readonly Entry[]
  readonly runs: readonly Run[]
  readonly messages: readonly Message[]
  readonly parts: readonly Part[]
  readonly log: readonly LogEntry[]
  readonly permissions: readonly Permission[]
}

const PAGE = 200
const MOST_FINISHED = 100_000

/** Reads a session whole. While it is being changed what is read does not fit together. */
export async function readSession(stores: Stores, key: SessionKey): Promise<SessionState> {
  const [session] = await stores.sessions.findMany([key])
  if (!session) throw new Error(`There is no session ${key}.`)
  const entries = (await stores.queue.views([key], MOST_FINISHED)).get(key) ?? []
  const runs = await allRuns(stores, key)
  const messages = await allMessages(stores, key)
  const parts = await stores.messages.parts(messages)
  const log = await allLog(stores, key)
  const permissions = (await stores.permissions.latest([key], MOST_FINISHED)).toReversed()
  return { session, entries: entries.toSorted((a, b) => a.ordinal - b.ordinal), runs, messages, parts, log, permissions }
}

async function allRuns({ runs }: Stores, sessionKey: SessionKey): Promise<readonly Run[]> {
  const found: Run[] = []
  for (;;) {
    const before = found.at(-1)?.ordinal
    const [page = []] = await runs.pages([{ sessionKey, limit: PAGE, ...(before !== undefined && { before }) }])
    found.push(...page)
    if (page.length < PAGE) return found.toReversed()
  }
}

async function allMessages({ messages }: Stores, sessionKey: SessionKey): Promise<readonly Message[]> {
  const found: Message[] = []
  for (;;) {
    const after = found.at(-1)?.index ?? -1
    const [page = []] = await messages.pages([{ sessionKey, after, take: 'first', limit: PAGE }])
    found.push(...page)
    if (page.length < PAGE) return found
  }
}

async function allLog({ log }: Stores, key: SessionKey): Promise<readonly LogEntry[]> {
  const found: LogEntry[] = []
  for (;;) {
    const page = await log.read(key, found.length, PAGE)
    found.push(...page)
    if (page.length < PAGE) return found
  }
}

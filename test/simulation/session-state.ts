import { intentIdOf, type SessionKey } from '../../src/kernel/ids.ts'
import type { LogEntry } from '../../src/domain/log/entry.ts'
import type { Message, Part } from '../../src/domain/message/message.ts'
import type { Grant } from '../../src/domain/permission/grant.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import type { Entry } from '../../src/domain/prompt/entry.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'
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
  readonly grants: readonly Grant[]
  /** Of its calls those that are or were uncertain. */
  readonly executions: readonly UncertainExecution[]
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
  const grants = await stores.permissions.grants([key])
  const executions = await allExecutions(stores, runs)
  const inOrder = entries.toSorted((a, b) => a.ordinal - b.ordinal)
  return { session, entries: inOrder, runs, messages, parts, log, permissions, grants, executions }
}

async function allExecutions({ executions }: Stores, runs: readonly Run[]): Promise<readonly UncertainExecution[]> {
  const ids = runs.flatMap(({ runId, partCount }) => Array.from({ length: partCount }, (_, part) => intentIdOf(runId, part)))
  return (await executions.findMany(ids)).toSorted((a, b) => a.ordinal - b.ordinal)
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

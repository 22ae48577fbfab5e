import { randomUUID } from 'node:crypto'
import { stepOutput } from '../../src/agent/step-output.ts'
import type { EventBody, EventDraft } from '../../src/domain/event/event.ts'
import { runIdOf } from '../../src/domain/prompt/entry.ts'
import { snapshotOf } from '../../src/domain/session/announce.ts'
import { announceCreation } from '../../src/domain/scope/announce-creation.ts'
import { newSession } from '../../src/domain/scope/new-session.ts'
import { pathBelow, prefixesOf, type Session } from '../../src/domain/session/session.ts'
import type { NewSession, RowWrite } from '../../src/domain/session/writes.ts'
import { asGenerationId, asSessionId, asSessionKey, asStorageKey, asWriteId, type RunId } from '../../src/kernel/ids.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import * as rows from '../../test/contract/support/rows.ts'

/** Which session of a tree hangs below which. */
const PARENTS = [undefined, 0, 0, 1, 2] as const
const TREES_PER_GROUP = 200
/** Events of a session: its creation, and those of each of its runs. */
const EVENTS_PER_TURN = 9
const LOG_ENTRIES_PER_TURN = 3
const TOKENS = 100

export const SCOPE = 'default'
export const SESSIONS_PER_TREE = PARENTS.length

/** The id of a session of the population. */
export const idOf = (tree: number, member: number): string => `session-${tree}-${member}`

export const eventsOf = ({ sessions, turns }: Population): number => sessions * (1 + turns * EVENTS_PER_TURN)

export interface Population {
  readonly sessions: number
  /** Finished runs of each session. */
  readonly turns: number
}

/**
 * Fills empty stores with sessions, in trees of five, and with what their runs would have left, by the commits of the
 * stores themselves, in large groups.
 */
export async function populate(stores: Stores, population: Population): Promise<void> {
  const trees = population.sessions / SESSIONS_PER_TREE
  const now = Date.now()
  const scope = await stores.scopes.ensure(asStorageKey(SCOPE), now)
  let revision = 0
  for (let from = 0; from < trees; from += TREES_PER_GROUP) {
    const count = Math.min(TREES_PER_GROUP, trees - from)
    const firstKey = await stores.sessions.reserveKeys(count * SESSIONS_PER_TREE)
    const group: Commit[] = []
    for (let tree = from; tree < from + count; tree++) {
      const family: Session[] = []
      for (const [member, parent] of PARENTS.entries()) {
        const key = asSessionKey(firstKey + group.length)
        const session = sessionOf({
          identity: { key, scopeKey: scope.key, sessionId: asSessionId(idOf(tree, member)) },
          parent: parent === undefined ? undefined : family[parent],
          generationSequence: ++revision,
          at: now - population.sessions + revision,
          turns: population.turns,
        })
        family.push(session)
        group.push(commitOf(session, population.turns))
      }
    }
    const [first] = await stores.unit.commit(asWriteId(randomUUID()), group)
    if (first?.firstRevision !== revision - group.length + 1) throw new Error('Somebody else writes to this database.')
  }
}

interface Birth {
  readonly identity: Pick<Session, 'key' | 'scopeKey' | 'sessionId'>
  readonly parent: Session | undefined
  readonly generationSequence: number
  readonly at: number
  readonly turns: number
}

export function sessionOf({ identity, parent, generationSequence, at, turns }: Birth): Session {
  const generationId = asGenerationId(`${identity.sessionId}-1`)
  const title = `Session ${identity.sessionId}`
  const seed = { ...identity, generationId, title, metadata: null, createdBy: 'bench', at }
  const origin = { parentRunId: `${generationId}-parent` as RunId, parentToolCallId: 'call-1' }
  const { generationId: _, place, ...session } = newSession(seed, parent && { parent, agent: 'worker', origin })
  const { parentPath, ...rest } = place
  return {
    ...session,
    generation: { generationId, generationSequence },
    place: { ...rest, path: pathBelow(parentPath, generationSequence) },
    revision: turns,
    epoch: turns,
    next: {
      entry: turns,
      run: turns,
      message: 2 * turns,
      log: LOG_ENTRIES_PER_TURN * turns,
      permission: 0,
      execution: 0,
    },
    usage: rows.usageOf(TOKENS * turns),
  }
}

export function commitOf(session: Session, turns: number): Commit {
  const { scopeKey, place } = session
  const paths = prefixesOf(place.path)
  const all = Array.from({ length: turns }, (_, turn) => turnOf(session, turn))
  const created = newSessionOf(session)
  return {
    scopeKey,
    created: [created],
    sessions: [],
    rollUps: [
      { scopeKey, paths, usage: session.usage, descendants: 0 },
      { scopeKey, paths: paths.slice(0, -1), usage: rows.usageOf(0), descendants: 1 },
    ],
    rows: all.flatMap((turn) => turn.rows),
    events: [announceCreation(created), ...all.flatMap((turn) => turn.events)],
  }
}

function newSessionOf({ generation, place, ...session }: Session): NewSession {
  const { path, ...rest } = place
  const parentPath = prefixesOf(path).at(-2) ?? ''
  return { ...session, generationId: generation.generationId, place: { ...rest, parentPath } }
}

interface Turn {
  readonly rows: readonly RowWrite[]
  readonly events: readonly EventDraft[]
}

/** What one prompt and its run leave. */
function turnOf(session: Session, turn: number): Turn {
  const at = session.createdAt
  const runId = rows.runIdOf(session, turn)
  const entry = rows.entryOf(session, turn, { createdAt: at, state: rows.finishedState(runId) })
  const model = { provider: 'bench', id: 'deltas' }
  const usage = rows.usageOf(TOKENS)
  const state = { kind: 'finished', outcome: rows.completed, at } as const
  const run = rows.runOf(session, turn, { startedAt: at, model, steps: 1, usage, partCount: 1, state })
  const user = rows.messageOf(session, 2 * turn, { createdAt: at, updatedAt: at })
  const assistant = rows.messageOf(session, 2 * turn + 1, { createdAt: at, updatedAt: at })
  const text = `The answer to question ${turn} of ${session.sessionId}, as long as a short answer usually is.`
  const part = rows.partOf(assistant, 0, { body: { kind: 'text', text }, startedAt: at, finishedAt: at })
  const output = stepOutput(model.provider, [{ role: 'assistant', content: [{ type: 'text', text }] }])
  const bodies = [
    { kind: 'input', text: '1', attachments: [] },
    { kind: 'step', output },
    { kind: 'outcome', outcome: 'ACCEPTED', status: 'COMPLETED', error: null },
  ] as const
  const firstIndex = LOG_ENTRIES_PER_TURN * turn
  const log = bodies.map((body, i) => rows.logOf(session, firstIndex + i, { runId, createdAt: at, body }))
  const snapshot = snapshotOf(entry)
  const prompt = { queueId: entry.queueId, runId: runIdOf(entry), entry: snapshot }
  const address = { runId, messageId: assistant.messageId, messageIndex: assistant.index }
  const partAddress = { ...address, partId: part.partId, partIndex: 0 }
  const events: readonly EventBody[] = [
    { type: 'prompt.queued', ...prompt },
    { type: 'prompt.started', ...prompt },
    { type: 'run.started', runId, messageId: user.messageId },
    { type: 'message.created', runId, messageId: user.messageId, messageIndex: user.index },
    { type: 'message.created', ...address },
    { type: 'part.created', ...partAddress },
    { type: 'part.completed', ...partAddress },
    { type: 'run.finished', runId, messageId: assistant.messageId, status: 'COMPLETED', error: null },
    { type: 'prompt.finished', ...prompt },
  ]
  return {
    rows: [
      rows.insertEntry(entry, rows.promptOf('1')),
      rows.insertRun(run),
      rows.insertMessage(user),
      rows.insertMessage(assistant),
      rows.insertPart(rows.partOf(user, 0, { body: { kind: 'text', text: '1' }, startedAt: at, finishedAt: at })),
      rows.insertPart(part),
      ...log.map(rows.insertLog),
    ],
    events: events.map((body) => ({ sessionKey: session.key, timestamp: at, body })),
  }
}

import type { ScopeKey, SessionKey, WriteId } from '../../src/kernel/ids.ts'
import type { FailureClass } from '../../src/ports/stores/failure.ts'

/** A change that somebody asked for. Its marker stands in its event and in its entry of the log, and nowhere else. */
export interface Asked {
  readonly marker: string
  readonly scopeKey: ScopeKey
  readonly sessionKey: SessionKey
  /** The revision that it expected; its entry of the log has this index. */
  readonly expected: number
  /** The sequence of its event, or `unnumbered`, or how it failed. Undefined: it was never answered. */
  answer?: number | 'unnumbered' | FailureClass
}

/** How an uncertain commit was resolved. */
export interface Resolution {
  readonly writeId: WriteId
  readonly outcome: 'committed' | 'absent'
  readonly markers: readonly string[]
  readonly ms: number
}

/** What clients were told. */
export interface CommitHistory {
  readonly asked: readonly Asked[]
  readonly resolved: readonly Resolution[]
}

/** The rows of a query, with numbers as numbers. */
export type Rows = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>

interface Stored {
  readonly events: readonly { scopeKey: number; sequence: number; sessionKey: number; marker: string }[]
  readonly log: readonly { sessionKey: number; index: number; marker: string }[]
  readonly sessions: readonly { key: number; revision: number; nextLog: number }[]
  readonly scopes: readonly { key: number; sequence: number }[]
  readonly records: ReadonlyMap<string, number>
}

/**
 * Compares what clients were told with what the database says when everything is over, in plain SQL. Answers
 * every disagreement, and by itself how many resolutions were wrong.
 */
export async function violationsOf(
  history: CommitHistory,
  rows: Rows,
): Promise<{ readonly violations: readonly string[]; readonly wrong: number }> {
  const stored = await read(rows)
  const wrong = wrongResolutions(history, stored)
  const violations = [...answers(history, stored), ...chains(history, stored), ...sequences(stored), ...wrong]
  return { violations, wrong: wrong.length }
}

/** What was asked for beside what is there of it: entries of the log, and events. */
interface Evidence extends Asked {
  readonly entries: Stored['log']
  readonly reports: Stored['events']
}

const isAcknowledged = ({ answer }: Asked) => typeof answer === 'number' || answer === 'unnumbered'

/** Acknowledged: exactly once. Failed: never. Unknown: at most once. The event and the log agree. */
const rules: readonly (readonly [isBroken: (it: Evidence) => boolean, violation: string])[] = [
  [(it) => it.answer === undefined || it.answer === 'uncertain', 'was never answered'],
  [(it) => isAcknowledged(it) && it.entries.length === 0, 'was acknowledged and is lost'],
  [(it) => !isAcknowledged(it) && it.answer !== 'fatal' && it.entries.length > 0, 'failed and is there'],
  [(it) => it.entries.length > 1, 'is there more than once'],
  [(it) => it.entries.length !== it.reports.length, 'is there by half'],
  [(it) => typeof it.answer === 'number' && it.reports[0]?.sequence !== it.answer, 'has another sequence'],
  [(it) => it.entries.some(({ index }) => index !== it.expected), 'is not at the revision that it expected'],
  [
    (it) => [...it.entries, ...it.reports].some(({ sessionKey }) => sessionKey !== it.sessionKey),
    'is in another session',
  ],
  [(it) => it.reports.some(({ scopeKey }) => scopeKey !== it.scopeKey), 'is in another scope'],
]

function* answers({ asked }: CommitHistory, { events, log }: Stored): Generator<string> {
  const known = new Set(asked.map(({ marker }) => marker))
  for (const { marker } of [...events, ...log]) if (!known.has(marker)) yield `${marker} was never asked for`
  const logged = Map.groupBy(log, ({ marker }) => marker)
  const announced = Map.groupBy(events, ({ marker }) => marker)
  for (const it of asked) {
    const evidence = { ...it, entries: logged.get(it.marker) ?? [], reports: announced.get(it.marker) ?? [] }
    for (const [isBroken, violation] of rules) {
      if (isBroken(evidence)) yield `${it.marker} (${it.answer}) ${violation}`
    }
  }
}

/** The revisions of a session are those of the changes that are there, one after the other. */
function* chains({ asked }: CommitHistory, { log, sessions }: Stored): Generator<string> {
  const entries = Map.groupBy(log, ({ sessionKey }) => sessionKey)
  const written = new Set(asked.map(({ sessionKey }) => sessionKey as number))
  for (const { key, revision, nextLog } of sessions) {
    if (!written.has(key)) continue
    const found = (entries.get(key) ?? []).map(({ index }) => index).toSorted((a, b) => a - b)
    if (found.some((index, i) => index !== i)) yield `the log of session ${key} is no chain: ${found.join(' ')}`
    if (revision !== found.length || nextLog !== found.length) {
      yield `session ${key} is at ${revision} and ${nextLog} after ${found.length} changes`
    }
  }
}

/** Events are numbered from 1 to the head, without a gap. */
function* sequences({ events, scopes }: Stored): Generator<string> {
  const perScope = Map.groupBy(events, ({ scopeKey }) => scopeKey)
  for (const { key, sequence } of scopes) {
    const found = perScope.get(key) ?? []
    const gap = found.findIndex((event, i) => event.sequence !== i + 1)
    if (gap >= 0) yield `in scope ${key} the event ${gap + 1} has the sequence ${found[gap]?.sequence}`
    if (sequence !== found.length) yield `scope ${key} is at ${sequence} and has ${found.length} events`
  }
}

/** What was resolved stays so: a record with members for what was committed, one without for what never will be. */
function wrongResolutions({ resolved }: CommitHistory, { records, log }: Stored): readonly string[] {
  const there = new Set(log.map(({ marker }) => marker))
  return resolved.flatMap(({ writeId, outcome, markers }) => {
    const isCommitted = (records.get(writeId) ?? 0) > 0
    const isComplete = markers.every((marker) => there.has(marker))
    const isRight = outcome === 'committed' ? isCommitted && isComplete : !isCommitted
    return isRight ? [] : [`${writeId} was resolved as ${outcome} wrongly`]
  })
}

async function read(rows: Rows): Promise<Stored> {
  const table = async <Row>(sql: string): Promise<readonly Row[]> =>
    (await rows(sql)).map((row) => ('body' in row ? { ...row, marker: markerIn(row['body']) } : row) as Row)
  const records = await table<{ writeId: string; members: number }>('SELECT "writeId", "members" FROM "CommitRecord"')
  return {
    events: await table(`
      SELECT "scopeKey", "sequence", "sessionKey", "body" FROM "Event" ORDER BY "scopeKey", "sequence"`),
    log: await table('SELECT "sessionKey", "index", "body" FROM "LogEntry"'),
    sessions: await table('SELECT "key", "revision", "nextLog" FROM "Session"'),
    scopes: await table('SELECT "key", "sequence" FROM "Scope"'),
    records: new Map(records.map(({ writeId, members }) => [writeId, members])),
  }
}

/** The marker in the document of an event, or of an entry of the log. */
function markerIn(document: unknown): string {
  const { runId = '', output } = JSON.parse(String(document)) as {
    readonly runId?: string
    readonly output?: { readonly marker: string }
  }
  return output?.marker ?? runId
}

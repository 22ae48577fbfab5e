import { isLive } from '../../src/domain/run/run.ts'
import { asSessionId, asStorageKey, type SessionKey } from '../../src/kernel/ids.ts'
import type { HarnessEvent } from '../../src/domain/event/event.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { EventFold } from '../simulation/event-fold.ts'
import { holds, same } from '../simulation/law-broken.ts'
import { expectConsistent } from '../simulation/laws/session-laws.ts'
import { expectIdle } from '../simulation/laws/settled-laws.ts'
import { readSession, type SessionState } from '../simulation/session-state.ts'
import { isOnce } from './counting-tools.ts'
import type { Fleet } from './fleet.ts'
import type { Attempt, Effect } from './journal.ts'

/** What a client was told: that this prompt of his is in this session's queue. */
export interface Acknowledged {
  readonly session: string
  readonly queueId: string
}

export interface Verdict {
  readonly prompts: number
  readonly runs: number
  readonly resumptions: number
  readonly calls: number
  /** Calls that were executed once more, since that does no harm. */
  readonly repeated: number
  readonly uncertain: number
  readonly events: number
  readonly commits: number
  /** Commits of processes that had lost the run, and what of them the database took. */
  readonly zombies: { readonly attempted: number; readonly accepted: number }
}

const PAGE = 500

/** Looks at what is stored once nothing goes on any more. Throws a `LawBroken` when something was lost or doubled. */
export async function verdictOf(fleet: Fleet, acknowledged: readonly Acknowledged[]): Promise<Verdict> {
  const stores = await prismaStores({ url: fleet.databaseUrl })
  try {
    const events = await allEvents(stores)
    same(events.map(({ sequence }) => sequence), events.map((_, i) => i + 1), 'C5: events are numbered without gaps')
    const states: SessionState[] = []
    for (const key of new Set(events.flatMap(({ sessionKey }) => (sessionKey > 0 ? [sessionKey] : [])))) {
      const state = await readSession(stores, key)
      expectConsistent(state)
      expectIdle(state)
      const fold = new EventFold()
      for (const event of events) if (event.sessionKey === key) fold.apply(event)
      fold.expectTold(state)
      states.push(state)
    }
    for (const { session, queueId } of acknowledged) {
      const state = states.find((it) => it.session.sessionId === asSessionId(session))
      const entry = state?.entries.find((it) => it.queueId === queueId)
      holds(entry?.state.kind === 'finished', 'R78: a prompt that was acknowledged ends', session, queueId, entry)
      const ends = events.filter(({ body }) => body.type === 'prompt.finished' && body.queueId === queueId)
      same(ends.length, 1, `R78: a prompt that was acknowledged ends once (${queueId})`)
    }
    const uncertain = new Map<SessionKey, ReadonlySet<string>>()
    for (const { session } of states) {
      const listed = events.flatMap(({ sessionKey, body }) =>
        sessionKey === session.key && body.type === 'tool.uncertain' ? [callName(body)] : [],
      )
      same(listed.length, new Set(listed).size, 'T5: a call is listed as uncertain once')
      uncertain.set(session.key, new Set(listed))
    }
    const calls = states.flatMap((state) => callsOf(state, uncertain.get(state.session.key) ?? new Set()))
    const repeated = repeatedEffects(calls, fleet.effects)
    return {
      prompts: states.reduce((sum, { entries }) => sum + entries.length, 0),
      runs: states.reduce((sum, { runs }) => sum + runs.filter((run) => !isLive(run)).length, 0),
      resumptions: states.reduce((sum, { runs }) => sum + runs.reduce((more, { attempts }) => more + attempts - 1, 0), 0),
      calls: calls.length,
      repeated,
      uncertain: [...uncertain.values()].reduce((sum, { size }) => sum + size, 0),
      events: events.length,
      commits: fleet.attempts.filter(({ outcome }) => outcome === 'committed').length,
      zombies: zombiesAmong(fleet.attempts),
    }
  } finally {
    await stores.close()
  }
}

async function allEvents(stores: Stores): Promise<readonly HarnessEvent[]> {
  const scope = await stores.scopes.find(asStorageKey('default'))
  const events: HarnessEvent[] = []
  while (scope) {
    const page = await stores.events.read({ scopeKey: scope.key, filter: {}, after: events.length, limit: PAGE })
    if (page.events.length === 0) break
    events.push(...page.events)
  }
  return events
}

/** What the log says of a call. */
export interface Call {
  readonly name: string
  readonly tool: string
  readonly status: string
  readonly error?: unknown
  readonly isUncertain: boolean
}

const callName = ({ runId, toolCallId }: { readonly runId: string; readonly toolCallId: string }): string =>
  `${runId} ${toolCallId}`

const callsOf = ({ messages, parts }: SessionState, uncertain: ReadonlySet<string>): readonly Call[] => {
  const runs = new Map(messages.map(({ index, runId }) => [index, runId]))
  return parts.flatMap(({ messageIndex, status, body }) => {
    if (body.kind !== 'tool') return []
    const name = callName({ runId: runs.get(messageIndex) ?? '', toolCallId: body.toolCallId })
    const { toolName: tool, error } = body
    return [{ name, tool, status, error, isUncertain: uncertain.has(name) }]
  })
}

/** Compares what the log says of calls with what the tools have done. How many were executed more than once. */
export function repeatedEffects(calls: readonly Call[], effects: readonly Effect[]): number {
  const executed = new Map<string, number>()
  for (const effect of effects) executed.set(callName(effect), (executed.get(callName(effect)) ?? 0) + 1)
  for (const call of calls) {
    const times = executed.get(call.name) ?? 0
    if (isOnce(call.tool)) holds(times <= 1, 'R79: a call that may not be repeated is executed once', call, times)
    const isDone = call.status === 'COMPLETED'
    holds(!isDone || times > 0, 'R79: what is told to be done was done', call)
    const isTold = times === 0 || isDone || call.isUncertain || !isOnce(call.tool)
    holds(isTold, 'R79: what was done is told to be done, or to be uncertain', call, times)
    executed.delete(call.name)
  }
  same([...executed], [], 'R79: nothing is executed that was not asked for')
  return effects.length - new Set(effects.map(callName)).size
}

/** A commit under an epoch that was over when it was made. */
export function zombiesAmong(attempts: readonly Attempt[]): Verdict['zombies'] {
  let accepted = 0
  const committed = attempts.filter(({ outcome }) => outcome === 'committed')
  for (const chain of Map.groupBy(committed, ({ session }) => session).values()) {
    let last = { revision: -1, nextEpoch: 0 }
    for (const attempt of chain.toSorted((a, b) => a.revision - b.revision)) {
      if (attempt.revision === last.revision || attempt.epoch < last.nextEpoch) accepted++
      last = attempt
    }
  }
  return { attempted: attempts.filter(({ outcome }) => outcome === 'fenced').length, accepted }
}

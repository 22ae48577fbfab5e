/**
 * The sessions of all scopes. Owns the counter of session keys, which nothing ever sets back.
 * Rows are changed by the unit of work alone.
 */
import type { SessionKey } from '../../kernel/ids.ts'
import { isWithin, pathBelow, statusOf } from '../../domain/session/session.ts'
import type {
  SessionFilter,
  SessionPosition,
  SessionStore,
  StoredSession,
  UnsettledStatus,
} from '../../ports/stores/sessions.ts'
import { type MemoryTables, sessionByKey, sessionBySequence } from './memory-tables.ts'

const LEVEL = pathBelow('', 0).length

export function memorySessions({ sessions }: MemoryTables): SessionStore {
  let lastKey = 0
  const find = (key: SessionKey) => sessions.byId(sessionByKey(key))
  const childrenOf = (parent: SessionKey) => {
    const scopeKey = find(parent)?.scopeKey
    return scopeKey === undefined ? [] : sessions.of(scopeKey).filter(({ place }) => place.parentKey === parent)
  }
  return {
    async find(scopeKey, sessionId) {
      return sessions.get(scopeKey, sessionId)
    },

    async findMany(keys) {
      return [...new Set(keys)].flatMap((key) => find(key) ?? [])
    },

    async findBySequence(scopeKey, generationSequences) {
      return [...new Set(generationSequences)].flatMap(
        (sequence) => sessions.byId(sessionBySequence(scopeKey, sequence)) ?? [],
      )
    },

    async page({ scopeKey, filter, after, limit }) {
      return newestFirst(sessions.of(scopeKey).filter(matches(filter)), after).slice(0, limit)
    },

    async count(scopeKey, filter, cap) {
      return Math.min(sessions.of(scopeKey).filter(matches(filter)).length, cap)
    },

    async children(queries) {
      return queries.map(({ parentKey, after, limit }) => newestFirst(childrenOf(parentKey), after).slice(0, limit))
    },

    async countChildren(parents) {
      return parents.map((parent) => childrenOf(parent).length)
    },

    async descendants({ scopeKey, path, maxDepth = Infinity, after, limit }) {
      return sessions
        .of(scopeKey)
        .filter(({ place }) => isWithin(path, place.path) && place.path.length > path.length)
        .filter(({ place }) => place.path.length <= path.length + maxDepth * LEVEL)
        .filter(({ place }) => after === undefined || place.path > after)
        .toSorted((a, b) => (a.place.path < b.place.path ? -1 : 1))
        .slice(0, limit)
    },

    async subtreeStatuses(scopeKey, paths) {
      const busy = sessions.of(scopeKey).filter((session) => statusOf(session) !== 'IDLE')
      const within = (path: string) => busy.filter(({ place }) => isWithin(path, place.path))
      return new Map(paths.flatMap((path) => heaviest(within(path)).map((status) => [path, status])))
    },

    async unsettled(after, limit) {
      return sessions
        .all()
        .filter((session) => statusOf(session) !== 'IDLE' && (after === undefined || session.key > after))
        .toSorted((a, b) => a.key - b.key)
        .slice(0, limit)
    },

    async reserveKeys(count) {
      const first = lastKey + 1
      lastKey += count
      return first as SessionKey
    },

    async purge(keys, limit) {
      const rows = [...new Set(keys)].flatMap((key) => find(key) ?? []).slice(0, limit)
      for (const row of rows) sessions.remove(row)
      return rows.length
    },
  }
}

/** None when there are no sessions. */
function heaviest(busy: readonly StoredSession[]): readonly UnsettledStatus[] {
  if (busy.length === 0) return []
  return busy.some((session) => statusOf(session) === 'AWAITING_PERMISSION') ? ['AWAITING_PERMISSION'] : ['BUSY']
}

const newestFirst = (rows: readonly StoredSession[], after: SessionPosition | undefined): readonly StoredSession[] =>
  rows
    .filter((row) => after === undefined || byActivity(after, positionOf(row)) < 0)
    .toSorted((a, b) => byActivity(positionOf(a), positionOf(b)))

const positionOf = ({ updatedAt, generation: { generationSequence } }: StoredSession): SessionPosition => ({
  updatedAt,
  generationSequence,
})

const byActivity = (a: SessionPosition, b: SessionPosition): number =>
  b.updatedAt - a.updatedAt || b.generationSequence - a.generationSequence

const matches =
  ({ rootsOnly, status, agent, titleContains, updatedSince }: SessionFilter) =>
  (session: StoredSession): boolean =>
    (rootsOnly !== true || session.place.parentKey === null) &&
    (status === undefined || statusOf(session) === status) &&
    (agent === undefined || session.place.agent === agent) &&
    (titleContains === undefined || asciiLower(session.title ?? '').includes(asciiLower(titleContains))) &&
    (updatedSince === undefined || session.updatedAt >= updatedSince)

const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

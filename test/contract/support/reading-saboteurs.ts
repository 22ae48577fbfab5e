import type { ScopeKey, SessionKey, StorageKey } from '../../../src/kernel/ids.ts'
import { statusOf } from '../../../src/domain/session/session.ts'
import type { SessionFilter, SessionPosition, SessionStore, StoredSession } from '../../../src/ports/stores/sessions.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { reading, rewriting, type Saboteur } from './saboteur.ts'
import { newWriteId } from './world.ts'

/** Searches titles in a way of its own. */
const searching = (finds: (title: string, part: string) => boolean) =>
  reading('sessions', (sessions) => {
    const find = async (scopeKey: ScopeKey, { titleContains, ...filter }: SessionFilter) => {
      const all = await sessions.page({ scopeKey, filter, limit: 1000 })
      return all.filter(({ title }) => titleContains === undefined || (title !== null && finds(title, titleContains)))
    }
    return {
      page: async ({ scopeKey, filter, limit }) => (await find(scopeKey, filter)).slice(0, limit),
      count: async (scopeKey, filter, cap) => Math.min(cap, (await find(scopeKey, filter)).length),
    }
  })

const like = (pattern: string) =>
  new RegExp(
    pattern
      .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
      .replaceAll('%', '.*')
      .replaceAll('_', '.'),
    'isu',
  )

const sequenceOf = ({ generation }: StoredSession) => generation.generationSequence
const within = (path: string) => (other: string) => other.startsWith(path)

/** Break the laws of the repositories. */
export const readingSaboteurs: readonly Saboteur[] = [
  {
    law: 'C13',
    crime: 'ignores the case of storage keys',
    sabotage: reading('scopes', (scopes) => ({
      ensure: (storageKey, at) => scopes.ensure(storageKey.toLowerCase() as StorageKey, at),
    })),
  },
  {
    law: 'C14',
    crime: 'orders sessions of the same time by their creation, oldest first',
    sabotage: reading('sessions', (sessions) => ({
      page: async (query) =>
        (await sessions.page(query)).toSorted((a, b) => b.updatedAt - a.updatedAt || sequenceOf(a) - sequenceOf(b)),
    })),
  },
  {
    law: 'C14',
    crime: 'goes on after a time alone',
    sabotage: reading('sessions', (sessions) => ({
      page: ({ after, ...query }) =>
        sessions.page({
          ...query,
          ...(after && { after: { ...after, generationSequence: 0 } satisfies SessionPosition }),
        }),
    })),
  },
  { law: 'C15', crime: 'takes % and _ for wildcards', sabotage: searching((title, part) => like(part).test(title)) },
  {
    law: 'C15',
    crime: 'ignores the case of all letters',
    sabotage: searching((title, part) => title.toLowerCase().includes(part.toLowerCase())),
  },
  {
    law: 'C15',
    crime: 'counts beyond the cap',
    sabotage: reading('sessions', (sessions) => ({
      count: (scopeKey, filter) => sessions.count(scopeKey, filter, 1e9),
    })),
  },
  {
    law: 'C16',
    crime: 'takes the first level alone for a subtree',
    sabotage: reading('sessions', (sessions) => ({
      subtreeStatuses: async (scopeKey, paths) => {
        const statuses = await sessions.subtreeStatuses(scopeKey, paths)
        const all = await sessions.page({ scopeKey, filter: {}, limit: 1000 })
        const near = (path: string) =>
          all.filter((session) => within(path)(session.place.path) && session.place.path.length <= path.length + 12)
        return new Map([...statuses].filter(([path]) => near(path).some((session) => statusOf(session) !== 'IDLE')))
      },
    })),
  },
  {
    law: 'C16',
    crime: 'takes whoever waits for a person in a subtree for busy',
    sabotage: reading('sessions', (sessions) => ({
      subtreeStatuses: async (scopeKey, paths) =>
        new Map([...(await sessions.subtreeStatuses(scopeKey, paths)).keys()].map((path) => [path, 'BUSY'])),
    })),
  },
  {
    law: 'C16',
    crime: 'takes the first status in a subtree for the heaviest',
    sabotage: reading('sessions', (sessions) => ({
      subtreeStatuses: async (scopeKey, paths) => {
        const statuses = await sessions.subtreeStatuses(scopeKey, paths)
        const all = await sessions.page({ scopeKey, filter: {}, limit: 1000 })
        const first = (path: string) => {
          const found = all.filter((session) => within(path)(session.place.path)).toSorted((a, b) => a.key - b.key).map(statusOf)
          return found.find((status) => status !== 'IDLE') ?? 'BUSY'
        }
        return new Map([...statuses.keys()].map((path) => [path, first(path)]))
      },
    })),
  },
  {
    law: 'C15',
    crime: 'lists those that wait for a person as busy ones',
    sabotage: reading('sessions', (sessions) => ({
      page: async (query) => {
        if (query.filter.status !== 'BUSY') return sessions.page(query)
        const both = ['BUSY', 'AWAITING_PERMISSION'] as const
        const pages = both.map((status) => sessions.page({ ...query, filter: { ...query.filter, status } }))
        return (await Promise.all(pages)).flat().slice(0, query.limit)
      },
    })),
  },
  {
    law: 'C16',
    crime: 'lists descendants by their creation',
    sabotage: reading('sessions', (sessions) => ({
      descendants: async (query) => (await sessions.descendants(query)).toSorted((a, b) => a.key - b.key),
    })),
  },
  {
    law: 'C16',
    crime: 'shares the limit between the pages of children',
    sabotage: reading('sessions', (sessions) => ({
      children: async (queries) => {
        const pages = await sessions.children(queries)
        return pages.map((page, i) => (i === 0 ? page : page.slice(0, Math.max(0, 2 - (pages[i - 1]?.length ?? 0)))))
      },
    })),
  },
  {
    law: 'C17',
    crime: 'finds queued sessions, but not those that run',
    sabotage: reading('sessions', (sessions) => ({
      unsettled: async (after, limit) =>
        (await sessions.unsettled(after, limit)).filter(({ work }) => work.kind === 'queued'),
    })),
  },
  {
    law: 'C17',
    crime: 'does not find those that wait for a person',
    sabotage: reading('sessions', (sessions) => ({
      unsettled: async (after, limit) =>
        (await sessions.unsettled(after, limit)).filter((session) => statusOf(session) === 'BUSY'),
    })),
  },
  {
    law: 'C18',
    crime: 'lets blocks of keys overlap',
    sabotage: reading('sessions', (sessions): Partial<SessionStore> => ({
      reserveKeys: async (count) => Math.max(1, (await sessions.reserveKeys(count)) - 1) as SessionKey,
    })),
  },
  {
    law: 'C19',
    crime: 'lists the queue by arrival',
    sabotage: reading('queue', (queue) => ({
      outstanding: async (session) => (await queue.outstanding(session)).toSorted((a, b) => a.ordinal - b.ordinal),
    })),
  },
  {
    law: 'C20',
    crime: 'takes the first run for the latest',
    sabotage: reading('runs', (runs) => ({
      latest: async (sessions) => {
        const pages = await runs.pages(sessions.map((sessionKey) => ({ sessionKey, limit: 1000 })))
        return pages.flatMap((page) => page.at(-1) ?? [])
      },
    })),
  },
  {
    law: 'C21',
    crime: 'turns a page from the end around',
    sabotage: reading('messages', (messages) => ({
      pages: async (queries) =>
        (await messages.pages(queries)).map((page, i) => (queries[i]?.take === 'last' ? page.toReversed() : page)),
    })),
  },
  {
    law: 'C21',
    crime: 'keeps the chunks of a completed part',
    sabotage: rewriting((commit) => ({ ...commit, rows: commit.rows.filter(({ op }) => op !== 'fold') })),
  },
  {
    law: 'C22',
    crime: 'reads the agent log from its end',
    sabotage: reading('log', (log) => ({
      read: async (session, from, limit) => (await log.read(session, from, 1000)).slice(-limit),
    })),
  },
  {
    law: 'C23',
    crime: 'claims to have looked at the whole log',
    sabotage: reading('events', (events) => ({
      read: async (query) => ({ ...(await events.read(query)), scannedTo: (await events.bounds(query.scopeKey)).head }),
    })),
  },
  {
    law: 'C23',
    crime: 'ignores whether descendants are asked for',
    sabotage: reading('events', (events) => ({
      read: ({ filter: { session, ...filter }, ...query }) =>
        events.read({
          ...query,
          filter: { ...filter, ...(session && { session: { ...session, includeDescendants: true } }) },
        }),
    })),
  },
  {
    law: 'C52',
    crime: 'looks for the events of a session among those of all',
    sabotage: reading('events', (events) => ({
      read: async ({ filter: { session, ...filter }, ...query }) => {
        const page = await events.read({ ...query, filter })
        return { ...page, events: page.events.filter(({ path }) => session === undefined || within(session.path)(path)) }
      },
    })),
  },
  {
    law: 'C24',
    crime: 'prunes without raising the floor',
    sabotage: reading('events', (events) => ({
      bounds: async (scopeKey) => ({ ...(await events.bounds(scopeKey)), floor: 0 }),
    })),
  },
  {
    law: 'C25',
    crime: 'ignores who was asked',
    sabotage: reading('requests', (requests) => ({
      find: async (scopeKey, owner, id) => (await requests.find(scopeKey, 0, id)) ?? requests.find(scopeKey, owner, id),
    })),
  },
  {
    law: 'C26',
    crime: 'leaves the chunks of purged parts',
    sabotage: (stores) => {
      const chunks: Commit['rows'][number][] = []
      const remembering = rewriting((commit) => {
        chunks.push(...commit.rows.filter(({ table, op }) => table === 'chunk' && op === 'insert'))
        return commit
      })(stores)
      const purge: typeof stores.messages.purge = async (sessions, limit) => {
        const purged = await stores.messages.purge(sessions, limit)
        const scope = await stores.scopes.ensure('left chunks' as StorageKey, 0)
        const left = chunks.filter(({ row }) => 'offset' in row && sessions.includes(row.sessionKey))
        const nothing = { created: [], sessions: [], rollUps: [], events: [] }
        if (purged === 0) await stores.unit.commit(newWriteId(), [{ ...nothing, scopeKey: scope.key, rows: left }])
        return purged
      }
      return { ...remembering, messages: { ...stores.messages, purge } }
    },
  },
  {
    law: 'C26',
    crime: 'purges without a limit',
    sabotage: reading('runs', (runs) => ({ purge: (sessions) => runs.purge(sessions, 1e9) })),
  },
  {
    law: 'C26',
    crime: 'leaves events readable',
    sabotage: reading('events', () => ({ purge: async () => 0 })),
  },
  {
    law: 'C27',
    crime: 'takes no more keys than a statement has parameters',
    sabotage: reading('runs', (runs) => ({ findMany: (ids) => runs.findMany(ids.slice(0, 32_766)) })),
  },
  {
    law: 'C50',
    crime: 'leaves out events that are about no session',
    sabotage: reading('events', (events) => ({
      read: async (query) => {
        const page = await events.read(query)
        return { ...page, events: page.events.filter(({ sessionId }) => sessionId !== null) }
      },
    })),
  },
]

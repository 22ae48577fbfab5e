import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Provenance, StructureChange } from '../../domain/deletion/tombstone.ts'
import { prefixesOf } from '../../domain/session/session.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { StoredSession } from '../../ports/stores/sessions.ts'
import { type MemoryTables, NOBODY, sessionByKey, sessionByPath } from './memory-tables.ts'

type Reserve = Extract<StructureChange, { kind: 'reserve' }>
type Settle = Extract<StructureChange, { kind: 'settle' }>
type Finish = Extract<StructureChange, { kind: 'finish' }>

/** Says to the session at the path, and to all above it, that the structure below them changes. */
export function noteChange(tables: MemoryTables, scopeKey: ScopeKey, path: string): void {
  const { sessions, changes } = tables
  for (const prefix of prefixesOf(path)) {
    const session = sessions.byId(sessionByPath(scopeKey, prefix))
    if (!session) continue
    const { key } = session
    const before = changesBelow(tables, key)
    changes[before === 0 ? 'insert' : 'update']({ key, changes: before + 1 })
  }
}

export const changesBelow = ({ changes }: MemoryTables, key: SessionKey): number =>
  changes.get(NOBODY, key)?.changes ?? 0

/** Moves sessions from the living to the tombstones. */
export function reserve(tables: MemoryTables, scopeKey: ScopeKey, { top, members, at, by }: Reserve): void {
  const { sessions, tombstones } = tables
  const above = living(tables, top)
  if (changesBelow(tables, top.key) !== top.changes) throw new StoreFailure('conflict', `Below session ${top.key} something changed.`)
  noteChange(tables, scopeKey, prefixesOf(top.path).at(-2) ?? '')
  const rows = members.map((member) => {
    const session = living(tables, member)
    return { session, provenance: provenanceOf(tables, session) }
  })
  for (const { session, provenance } of rows) {
    const { key, sessionId, generation, place, owner } = session
    sessions.remove(session)
    tables.changes.remove({ key, changes: 0 })
    tombstones.insert({
      key,
      sessionId,
      generation,
      path: place.path,
      scopeKey,
      group: top.key,
      groupDepth: place.depth - above.place.depth,
      depth: place.depth,
      provenance,
      deletedAt: at,
      deletedBy: by,
      owner,
      settled: false,
    })
  }
}

/** Says of a group that nothing waits in it any more. */
export function settle({ tombstones }: MemoryTables, { group }: Settle): void {
  const top = tombstones.byId(sessionByKey(group))
  if (!top || top.settled) throw new StoreFailure('conflict', `The group ${group} is gone, or settled.`)
  tombstones.update({ ...top, settled: true })
}

/** Removes the tombstones of a group. */
export function finish({ tombstones }: MemoryTables, { group, members }: Finish): void {
  const rows = tombstones.in(String(group))
  if (rows.length === 0 || rows.length !== members.length) {
    throw new StoreFailure('conflict', `The group ${group} is not as it was.`)
  }
  for (const row of rows) tombstones.remove(row)
}

function living({ sessions }: MemoryTables, { key }: Pick<StoredSession, 'key'>): StoredSession {
  const session = sessions.byId(sessionByKey(key))
  if (!session) throw new StoreFailure('conflict', `There is no session ${key}.`)
  return session
}

function provenanceOf({ sessions }: MemoryTables, { place }: StoredSession): Provenance | null {
  const { parentKey, agent, origin } = place
  const parent = parentKey === null ? undefined : sessions.byId(sessionByKey(parentKey))
  if (!parent || agent === null || !origin) return null
  return { parent: { sessionId: parent.sessionId, generation: parent.generation }, origin, agent }
}

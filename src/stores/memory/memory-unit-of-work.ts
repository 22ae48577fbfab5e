/**
 * Commits groups of changes. A group is applied row by row, in its order, in one synchronous piece; whatever law a row
 * breaks, the journal takes everything back. The record of a group is one of its rows.
 *
 * - Later commits of a group see what earlier ones changed.
 * - Sequences and revisions come from the row of the scope, and go on from there in the same piece.
 */
import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import { revisionsOf } from '../../domain/deletion/tombstone.ts'
import { type EventDraft, type EventSubject, SCOPE_ITSELF, theScope } from '../../domain/event/event.ts'
import { addUsage, noUsage } from '../../domain/run/usage.ts'
import type { Scope } from '../../domain/scope/scope.ts'
import { pathBelow } from '../../domain/session/session.ts'
import type { NewSession, RollUp, SessionWrite } from '../../domain/session/writes.ts'
import type { Clock } from '../../ports/clock.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Commit, Committed, UnitOfWork } from '../../ports/stores/unit-of-work.ts'
import { applyRow } from './apply-row.ts'
import { finish, noteChange, reserve, settle } from './apply-structure.ts'
import { type MemoryTables, NOBODY, sessionByKey, sessionByPath } from './memory-tables.ts'

export function memoryUnitOfWork(tables: MemoryTables, clock: Pick<Clock, 'now'>): UnitOfWork {
  const { journal, records } = tables
  return {
    async commit(writeId, group) {
      return journal.atomically(() => {
        if (records.get(NOBODY, writeId))
          throw new StoreFailure('notCommitted', `The write ${writeId} is decided already.`)
        records.insert({ writeId, outcome: 'committed', createdAt: clock.now() })
        return group.map((commit) => apply(tables, commit))
      })
    },

    async outcomeOf(writeId) {
      const record = records.get(NOBODY, writeId)
      if (!record) records.insert({ writeId, outcome: 'absent', createdAt: clock.now() })
      return record?.outcome ?? 'absent'
    },

    async forget(before, limit) {
      const old = records
        .all()
        .filter(({ createdAt }) => createdAt < before)
        .slice(0, limit)
      for (const row of old) records.remove(row)
      return old.length
    },
  }
}

function apply(tables: MemoryTables, commit: Commit): Committed {
  const { scopeKey, created, sessions, rollUps, rows, structure, events } = commit
  const { revision, sequence } = scopeOf(tables, scopeKey)
  created.forEach((session, i) => create(tables, session, revision + 1 + i))
  for (const session of sessions) compareAndSet(tables, session)
  for (const rollUp of rollUps) addUp(tables, rollUp)
  for (const row of rows) applyRow(tables, row)
  if (structure?.kind === 'reserve') reserve(tables, scopeKey, structure)
  const about = structure ? 'the dying' : 'the living'
  events.forEach((draft, i) => append(tables, draft, { scopeKey, sequence: sequence + 1 + i, about }))
  if (structure?.kind === 'settle') settle(tables, structure)
  if (structure?.kind === 'finish') finish(tables, structure)
  const scope = scopeOf(tables, scopeKey)
  const changes = created.length + revisionsOf(structure)
  tables.scopes.update({ ...scope, revision: revision + changes, sequence: sequence + events.length })
  return { firstSequence: sequence + 1, firstRevision: revision + 1 }
}

function scopeOf({ scopes }: MemoryTables, key: ScopeKey): Scope {
  const scope = scopes.byId(String(key))
  if (!scope) throw new StoreFailure('notCommitted', `There is no scope ${key}.`)
  return scope
}

function create(tables: MemoryTables, session: NewSession, generationSequence: number): void {
  const { sessions, tombstones } = tables
  const { generationId, place, ...rest } = session
  const { parentPath, ...standing } = place
  if (tombstones.get(session.scopeKey, session.sessionId)) {
    throw new StoreFailure('conflict', `The session ${session.sessionId} is still being deleted.`)
  }
  if (place.parentKey !== null && !sessions.byId(sessionByKey(place.parentKey))) {
    throw new StoreFailure('conflict', `The parent of session ${session.sessionId} does not live.`)
  }
  noteChange(tables, session.scopeKey, parentPath)
  sessions.insert({
    ...rest,
    generation: { generationId, generationSequence },
    place: { ...standing, path: pathBelow(parentPath, generationSequence) },
    tree: { usage: noUsage, descendants: 0 },
  })
}

function compareAndSet({ sessions }: MemoryTables, { row, expected }: SessionWrite): void {
  const current = sessions.byId(sessionByKey(row.key))
  if (!current) throw new StoreFailure('conflict', `There is no session ${row.key}.`)
  if (current.epoch !== expected.epoch) {
    throw new StoreFailure('fenced', `Session ${row.key} is at epoch ${current.epoch}, not ${expected.epoch}.`)
  }
  if (current.revision !== expected.revision) {
    throw new StoreFailure(
      'conflict',
      `Session ${row.key} is at revision ${current.revision}, not ${expected.revision}.`,
    )
  }
  sessions.update({ ...row, tree: current.tree })
}

function addUp({ sessions }: MemoryTables, { scopeKey, paths, usage, descendants }: RollUp): void {
  for (const path of paths) {
    const session = sessions.byId(sessionByPath(scopeKey, path))
    if (!session) continue
    const { tree } = session
    const sum = { usage: addUsage(tree.usage, usage), descendants: tree.descendants + descendants }
    sessions.update({ ...session, tree: sum })
  }
}

function append(
  tables: MemoryTables,
  { sessionKey, timestamp, body }: EventDraft,
  { about, ...position }: { readonly scopeKey: ScopeKey; readonly sequence: number; readonly about: About },
): void {
  const subject = sessionKey === SCOPE_ITSELF ? theScope : subjectOf(tables, sessionKey, about)
  tables.events.insert({ ...position, timestamp, ...subject, body })
}

/** Where the structure changes, the events are about sessions that are being deleted. */
type About = 'the living' | 'the dying'

function subjectOf({ sessions, tombstones }: MemoryTables, sessionKey: SessionKey, about: About): EventSubject {
  const tombstone = about === 'the dying' && tombstones.byId(sessionByKey(sessionKey))
  if (tombstone) return { sessionKey, sessionId: tombstone.sessionId, generation: tombstone.generation, path: tombstone.path }
  const session = sessions.byId(sessionByKey(sessionKey))
  if (!session) throw new StoreFailure('conflict', `There is no session ${sessionKey} for an event.`)
  const { sessionId, generation, place } = session
  return { sessionKey, sessionId, generation, path: place.path }
}

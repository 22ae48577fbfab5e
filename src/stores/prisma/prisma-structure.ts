import type { GenerationId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Member } from '../../domain/deletion/tombstone.ts'
import type { StructureStore, TombstoneRef } from '../../ports/stores/structure.ts'
import type { Database } from './database.ts'
import type { Session as SessionModel, Tombstone as TombstoneModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { empty, names, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'
import { pathBehind } from './subtree.ts'
import { namesOf } from './table.ts'
import { tombstoneColumns, tombstoneOf } from './tombstone-row.ts'

const memberColumns = ['key', 'sessionId', 'generationId', 'generationSequence', 'path'] as const
type MemberModel = Pick<SessionModel, (typeof memberColumns)[number]>

/** Which sessions exist and which are being deleted. Rows are changed by the unit of work alone, but for `letGo`. */
export function prismaStructure(database: Database): StructureStore {
  const { dialect } = database
  const select = async (rest: Sql) => {
    const columns = names(namesOf(tombstoneColumns))
    const rows = await database.rows<TombstoneModel>(sql`SELECT ${columns} FROM "Tombstone" WHERE ${rest}`)
    return rows.map(tombstoneOf)
  }
  const refs = async (rest: Sql): Promise<readonly TombstoneRef[]> => {
    const rows = await database.rows<Pick<TombstoneModel, 'scopeKey' | 'key'>>(
      sql`SELECT "scopeKey", "key" FROM "Tombstone" WHERE ${rest}`,
    )
    return rows.map(({ scopeKey, key }) => ({ scopeKey: Number(scopeKey) as ScopeKey, key: Number(key) as SessionKey }))
  }
  return {
    // The living first: what is neither among them nor among the dead was gone in between, as nothing rises from the dead.
    async slot(scopeKey, sessionId) {
      if (!isStorable(sessionId)) return { kind: 'absent' }
      const where = { scopeKey_sessionId: { scopeKey, sessionId } }
      const live = await database.read((client) => client.session.findUnique({ where, select: { key: true } }))
      if (live) return { kind: 'live', key: Number(live.key) as SessionKey }
      const dead = await database.read((client) =>
        client.tombstone.findUnique({ where, select: { key: true, groupKey: true } }),
      )
      if (!dead) return { kind: 'absent' }
      return { kind: 'tombstoned', key: Number(dead.key) as SessionKey, group: Number(dead.groupKey) as SessionKey }
    },

    async top(key) {
      const [row] = await database.rows<MemberModel & Pick<SessionModel, 'treeChanges'>>(sql`
        SELECT ${names([...memberColumns, 'treeChanges'])} FROM "Session" WHERE "key" = ${key}`)
      return row ? { ...memberOf(row), changes: Number(row.treeChanges) } : undefined
    },

    async members({ scopeKey, path, after, limit }) {
      const rows = await database.rows<MemberModel>(sql`
        SELECT ${names(memberColumns)} FROM "Session" WHERE "scopeKey" = ${scopeKey}
          AND ${within(path, after)} ORDER BY "path" LIMIT ${limit}`)
      return rows.map(memberOf)
    },

    tombstones({ scopeKey, path, after, limit }) {
      const where = path === undefined ? sql`"path" > ${after ?? ''}` : within(path, after)
      return select(sql`"scopeKey" = ${scopeKey} AND ${where} ORDER BY "path" LIMIT ${limit}`)
    },

    tombstonesOf: (keys) => inPages(keys, (page) => select(dialect.oneOf(sql`"key"`, page))),

    group: ({ group, after, limit }) =>
      select(sql`"groupKey" = ${group} AND "path" > ${after ?? ''} ORDER BY "path" LIMIT ${limit}`),

    groups({ scopeKey, after, limit }) {
      const where = scopeKey === undefined ? empty : sql`AND "scopeKey" = ${scopeKey}`
      return refs(sql`"groupKey" = "key" AND "key" > ${after ?? 0} ${where} ORDER BY "key" LIMIT ${limit}`)
    },

    heldBy: (owner, limit) => refs(sql`"owner" = ${owner} ORDER BY "key" LIMIT ${limit}`),

    async letGo(owner, keys) {
      await inPages(keys, async (page) => {
        const which = dialect.oneOf(sql`"key"`, page)
        await database.change(sql`UPDATE "Tombstone" SET "owner" = NULL WHERE "owner" = ${owner} AND ${which}`)
        return []
      })
    },
  }
}

/** A subtree is a range of paths. */
function within(path: string, after: string | undefined): Sql {
  const begin = after !== undefined && after >= path ? sql`"path" > ${after}` : sql`"path" >= ${path}`
  return sql`${begin} AND "path" < ${pathBehind(path)}`
}

const memberOf = (model: MemberModel): Member => ({
  key: Number(model.key) as SessionKey,
  sessionId: model.sessionId as SessionId,
  generation: {
    generationId: model.generationId as GenerationId,
    generationSequence: Number(model.generationSequence),
  },
  path: model.path,
})

import type { KeysNamed, ScopeStore } from '../../ports/stores/scopes.ts'
import { sources } from './bulk.ts'
import type { Database } from './database.ts'
import type { Dialect } from './dialect.ts'
import type { Scope as ScopeModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { reserveKeys } from './reserve-keys.ts'
import { scopeOf } from './scope-row.ts'
import { join, names, sql, type Sql } from './sql.ts'
import { isStorable } from './storable-text.ts'

/** The scopes. Whoever loses the race to create one wastes a key. */
export function prismaScopes(database: Database): ScopeStore {
  const find: ScopeStore['find'] = async (storageKey) => {
    if (!isStorable(storageKey)) return undefined
    const row = await database.read((client) => client.scope.findUnique({ where: { storageKey } }))
    return row ? scopeOf(row) : undefined
  }
  return {
    find,

    async ensure(storageKey, at) {
      const found = await find(storageKey)
      if (found) return found
      const key = await reserveKeys(database, 'scope', 1)
      await database.change(sql`
        INSERT INTO "Scope" ("key", "storageKey", "createdAt") VALUES (${key}, ${storageKey}, ${at})
        ON CONFLICT ("storageKey") DO NOTHING`)
      return scopeOf(
        await database.read((client) => client.scope.findUniqueOrThrow({ where: { storageKey } })),
      )
    },

    async findNamed(storageKeys) {
      const rows = await inPages(storageKeys.filter(isStorable), (page) =>
        database.rows<ScopeModel>(sql`
          SELECT ${columns} FROM "Scope" WHERE ${database.dialect.oneOfTexts(sql`"storageKey"`, page)}`),
      )
      return rows.map(scopeOf)
    },

    async findMany(keys) {
      const rows = await inPages(keys, (page) =>
        database.rows<ScopeModel>(sql`
          SELECT ${columns} FROM "Scope" WHERE ${database.dialect.oneOf(sql`"key"`, page)}`),
      )
      return rows.map(scopeOf)
    },

    async page(after, limit, among) {
      const condition = among ? conditionOf(database.dialect, among) : sql`1 = 1`
      const rows = await database.rows<ScopeModel>(sql`
        SELECT ${columns} FROM "Scope" WHERE "key" > ${after ?? 0} AND ${condition} ORDER BY "key" LIMIT ${limit}`)
      return rows.map(scopeOf)
    },
  }
}

const columns = names(['key', 'storageKey', 'revision', 'sequence', 'floor', 'createdAt'])

function conditionOf(dialect: Dialect, { exact, beginnings }: KeysNamed): Sql {
  const isListed = dialect.oneOfTexts(sql`"storageKey"`, exact.filter(isStorable))
  const texts = beginnings.filter(isStorable).map((beginning) => ({ beginning }))
  const beginsWithOne = sources(dialect, { beginning: 'text' }, texts).map(
    (source) => sql`EXISTS (
      SELECT 1 FROM ${source} WHERE substr("storageKey", 1, length(j."beginning")) = j."beginning"
    )`,
  )
  return sql`(${join([isListed, ...beginsWithOne], ' OR ')})`
}

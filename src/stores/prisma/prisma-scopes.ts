import type { ScopeStore } from '../../ports/stores/scopes.ts'
import type { Database } from './database.ts'
import type { Scope as ScopeModel } from './generated/sqlite/client.ts'
import { inPages } from './pages.ts'
import { reserveKeys } from './reserve-keys.ts'
import { scopeOf } from './scope-row.ts'
import { sql } from './sql.ts'
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

    async findMany(keys) {
      const rows = await inPages(keys, (page) =>
        database.rows<ScopeModel>(sql`
          SELECT "key", "storageKey", "revision", "sequence", "floor", "createdAt" FROM "Scope"
          WHERE ${database.dialect.oneOf(sql`"key"`, page)}`),
      )
      return rows.map(scopeOf)
    },

    async page(after, limit) {
      const rows = await database.read((client) =>
        client.scope.findMany({ where: { key: { gt: after ?? 0 } }, orderBy: { key: 'asc' }, take: limit }),
      )
      return rows.map(scopeOf)
    },
  }
}

import type { SessionKey } from '../../kernel/ids.ts'
import type { InstanceStore, SessionVersion } from '../../ports/stores/instances.ts'
import type { Database } from './database.ts'
import { inPages } from './pages.ts'
import { sql } from './sql.ts'

/** The processes that share the database. A lease that expired is removed by whoever renews his. */
export function prismaInstances(database: Database): InstanceStore {
  const { dialect } = database
  return {
    async renew(owner, ttlMs) {
      await database.change(sql`
        INSERT INTO "Instance" ("owner", "expiresAt") VALUES (${owner}, ${dialect.now} + ${ttlMs})
        ON CONFLICT ("owner") DO UPDATE SET "expiresAt" = excluded."expiresAt"`)
      await database.change(sql`DELETE FROM "Instance" WHERE "expiresAt" < ${dialect.now} - ${FORGOTTEN_MS}`)
    },

    async leave(owner) {
      await database.change(sql`DELETE FROM "Instance" WHERE "owner" = ${owner}`)
    },

    async abandoned({ idleMs, after, limit }) {
      const rows = await database.rows<VersionRow & { readonly owner: string | null }>(sql`
        SELECT t."key", t."revision", t."owner" FROM "Session" AS t
        WHERE t."status" IN ('BUSY', 'AWAITING_PERMISSION') AND t."key" > ${after ?? 0} AND (
          (t."owner" IS NULL AND t."updatedAt" <= ${dialect.now} - ${idleMs}) OR
          (t."owner" IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM "Instance" AS i WHERE i."owner" = t."owner" AND i."expiresAt" > ${dialect.now}
          ))
        )
        ORDER BY t."key" LIMIT ${limit}`)
      return rows.map((row) => ({ ...versionOf(row), hasRun: row.owner !== null }))
    },

    async isHeld({ group, except, graceMs }) {
      const held = await database.rows<unknown>(sql`
        SELECT 1 AS "held" FROM "Tombstone" AS t JOIN "Instance" AS i ON i."owner" = t."owner"
        WHERE t."groupKey" = ${group} AND t."owner" <> ${except} AND i."expiresAt" > ${dialect.now} - ${graceMs} LIMIT 1`)
      return held.length > 0
    },

    async versions(keys) {
      const rows = await inPages(keys, (page) =>
        database.rows<VersionRow>(sql`
          SELECT "key", "revision" FROM "Session" WHERE ${dialect.oneOf(sql`"key"`, page)}`),
      )
      return rows.map(versionOf)
    },
  }
}

interface VersionRow {
  readonly key: bigint
  readonly revision: bigint
}

const versionOf = ({ key, revision }: VersionRow): SessionVersion => ({
  key: Number(key) as SessionKey,
  revision: Number(revision),
})

/** Milliseconds after which nobody asks for a lease that expired. */
const FORGOTTEN_MS = 3_600_000

import type { WriteId } from '../../kernel/ids.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Database } from './database.ts'
import { driverCause } from './driver-cause.ts'
import { sql } from './sql.ts'

const ATTEMPTS = 4
const LOCK_TIMEOUT = '55P03'

/**
 * Decides the fate of a commit group by writing its record in its place, with no members. Where that record is now, the
 * lost transaction can never commit, as its own would have the same key; where there is one already, that one tells.
 * On PostgreSQL the insert waits for a transaction that has inserted the record and is still under way, longer than any
 * transaction may idle there. Fails as `uncertain` when it had to give up; asking again goes on.
 */
export async function outcomeOf(database: Database, writeId: WriteId): Promise<'committed' | 'absent'> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await claimed(database, writeId)) return 'absent'
    const record = await database.read((client) => client.commitRecord.findUnique({ where: { writeId } }))
    if (record) return record.members > 0 ? 'committed' : 'absent'
  }
  throw new StoreFailure('uncertain', `The transaction of ${writeId} is still under way.`)
}

async function claimed(database: Database, writeId: WriteId): Promise<boolean> {
  try {
    const inserted = await database.change(sql`
      INSERT INTO "CommitRecord" ("writeId", "members", "createdAt") VALUES (${writeId}, 0, ${database.dialect.now})
      ON CONFLICT ("writeId") DO NOTHING`)
    return inserted === 1
  } catch (error) {
    if (error instanceof StoreFailure && driverCause(error.cause)?.originalCode === LOCK_TIMEOUT) return false
    throw error
  }
}

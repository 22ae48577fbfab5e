/**
 * A process that changes sessions of a SQLite database until so many of its changes have failed, and then dies as by
 * kill -9. Writes what it was told of each change as a line of JSON.
 */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { asSessionKey } from '../../src/kernel/ids.ts'
import { openSqlite } from '../../src/stores/prisma/open-sqlite.ts'
import { raw, sql } from '../../src/stores/prisma/sql.ts'
import { storesOf } from '../../src/stores/prisma/stores-of.ts'
import { CommitClient, type Told } from './commit-client.ts'

export interface Commits {
  readonly url: string
  readonly keys: readonly number[]
  /** After how many failures it dies. */
  readonly failures: number
  /** Pages of the log after which SQLite moves them into the database; 0 for never. */
  readonly checkpointEvery: number
  /** Characters that each change carries. */
  readonly size: number
}

const { url, keys, failures, checkpointEvery, size } = JSON.parse(process.argv[2] ?? '') as Commits

const database = await openSqlite({ url, onStatement: () => undefined })
await database.rows(sql`PRAGMA wal_autocheckpoint = ${raw(String(checkpointEvery))}`)
const told: Told = { asked: [], resolved: [] }
const client = new CommitClient({
  stores: storesOf({ database, migrations: [] }),
  told,
  policy: { maxRepeats: 2, resolveDeadlineMs: 2000 },
  payload: () => randomBytes(size / 2).toString('hex'),
})

for (let n = 0, failed = 0; failed < failures; n++) {
  const asked = await client.change({ key: asSessionKey(keys[n % keys.length] ?? 0) }, `change-${n}`)
  if (typeof asked?.answer !== 'number') failed++
  writeSync(1, `${JSON.stringify(asked)}\n`)
}
process.kill(process.pid, 'SIGKILL')

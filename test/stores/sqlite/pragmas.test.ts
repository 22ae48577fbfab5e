import { expect, test } from 'vitest'
import { NodeSqlite } from '../../../src/stores/prisma/sqlite/node-sqlite.ts'
import { query } from './query.ts'
import { scratchFile } from './scratch-file.ts'

const pragmas = [
  'journal_mode',
  'synchronous',
  'foreign_keys',
  'busy_timeout',
  'journal_size_limit',
  'trusted_schema',
  'secure_delete',
]

async function pragmasOf(url: string): Promise<unknown[]> {
  const adapter = await new NodeSqlite({ url }).connect()
  const results = await Promise.all(pragmas.map((name) => adapter.queryRaw(query(`PRAGMA ${name}`))))
  await adapter.dispose()
  return results.map(({ rows }) => rows[0]?.[0])
}

test('a file is opened durable, with foreign keys, and blocks the thread for no more than 10 ms', async () => {
  expect(await pragmasOf(`file:${scratchFile()}`)).toEqual(['wal', 2, 1, 10, 64 * 1024 * 1024, 0, 1])
})

test('a database in memory has the same settings where they mean something', async () => {
  expect(await pragmasOf(':memory:')).toEqual(['memory', 2, 1, 10, 64 * 1024 * 1024, 0, 1])
})

test('what SQLite cannot do is an error, not silence', async () => {
  // SQLite gives an empty path a temporary database, which cannot keep a write-ahead log.
  await expect(new NodeSqlite({ url: 'file:' }).connect()).rejects.toThrow('SQLite refused journal_mode = wal')
})

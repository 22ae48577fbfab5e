import { existsSync, readFileSync } from 'node:fs'
import { NodeSqlite } from '../../../src/stores/prisma/sqlite/node-sqlite.ts'
import { PrismaClient } from './generated/client.ts'

const schema = readFileSync(new URL('schema.sql', import.meta.url), 'utf8')

/** A client of the test schema on the file, which gets its tables when it is new. */
export async function openClient(file: string, options: { readonly busyTimeoutMs?: number } = {}) {
  const isNew = !existsSync(file)
  const adapter = new NodeSqlite({ url: `file:${file}`, ...options })
  if (isNew) {
    const connection = await adapter.connect()
    await connection.executeScript(schema)
    await connection.dispose()
  }
  return new PrismaClient({ adapter })
}

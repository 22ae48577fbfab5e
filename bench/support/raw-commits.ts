import { DatabaseSync, type StatementSync } from 'node:sqlite'
import pg from 'pg'
import { partIdOf } from '../../src/kernel/ids.ts'
import { rootOf, type Session } from '../../src/domain/session/session.ts'
import * as rows from '../../test/contract/support/rows.ts'

/** A statement with `$1`, `$2` and so on, and what they stand for. */
type Statement = readonly [sql: string, values: readonly (string | number | null)[]]

/** The rows of a finished part, written by hand, as little as a program would that needs no more. */
export function rawStatements(session: Session, n: number): readonly Statement[] {
  const { key, scopeKey, sessionId, generation, place } = session
  const { runId, messageId } = rows.messageOf(session, 1)
  const at = Date.now()
  const address = { runId, messageId, partId: partIdOf(messageId, n), partIndex: n }
  const event = (type: string): Statement => [
    `INSERT INTO "Event" ("scopeKey", "sequence", "timestamp", "type", "sessionKey", "sessionId", "generationId",
       "generationSequence", "path", "rootSequence", "body")
     SELECT "key", "sequence" - $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 FROM "Scope" WHERE "key" = $11`,
    [
      type === 'part.created' ? 1 : 0,
      at,
      type,
      key,
      sessionId,
      generation.generationId,
      generation.generationSequence,
      place.path,
      Number(rootOf(place.path)),
      JSON.stringify({ type, ...address }),
      scopeKey,
    ],
  ]
  return [
    [
      `UPDATE "Session" SET "revision" = $1, "nextLog" = $2, "updatedAt" = $3
       WHERE "key" = $4 AND "revision" = $5 AND "epoch" = $6`,
      [n + 1, n + 1, at, key, n, 0],
    ],
    [
      `INSERT INTO "Part"
         ("sessionKey", "messageIndex", "partIndex", "partId", "status", "body", "startedAt", "finishedAt")
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [key, 1, n, address.partId, 'COMPLETED', JSON.stringify({ kind: 'text', text: `part ${n}` }), at, at],
    ],
    [
      'INSERT INTO "LogEntry" ("sessionKey", "index", "runId", "createdAt", "body") VALUES ($1, $2, $3, $4, $5)',
      [key, n, runId, at, JSON.stringify({ kind: 'step', output: { index: n } })],
    ],
    ['UPDATE "Scope" SET "sequence" = "sequence" + 2 WHERE "key" = $1', [scopeKey]],
    event('part.created'),
    event('part.completed'),
  ]
}

/** Somebody who commits groups of statements, each group as one transaction. */
export interface RawWriter extends AsyncDisposable {
  commit(statements: readonly Statement[]): Promise<void>
}

export function rawSqlite(file: string): RawWriter {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  const prepared = new Map<string, StatementSync>()
  return {
    async commit(statements) {
      db.exec('BEGIN IMMEDIATE')
      for (const [sql, values] of statements) {
        const statement = prepared.get(sql) ?? db.prepare(sql.replaceAll('$', '?'))
        prepared.set(sql, statement)
        if (statement.run(...values).changes !== 1) throw new Error(`It changed no row: ${sql}`)
      }
      db.exec('COMMIT')
    },
    [Symbol.asyncDispose]: async () => db.close(),
  }
}

export async function rawPostgresql(url: string): Promise<RawWriter> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const names = new Map<string, string>()
  return {
    async commit(statements) {
      await client.query('BEGIN')
      for (const [text, values] of statements) {
        const name = names.get(text) ?? `s${names.size}`
        names.set(text, name)
        const { rowCount } = await client.query({ name, text, values: [...values] })
        if (rowCount !== 1) throw new Error(`It changed no row: ${text}`)
      }
      await client.query('COMMIT')
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}

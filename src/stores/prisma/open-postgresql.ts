import { PrismaPg } from '@prisma/adapter-pg'
import { Socket } from 'node:net'
import type { Log } from '../../ports/telemetry.ts'
import { type Database, databaseOf } from './database.ts'
import { PrismaClient as PostgresqlClient } from './generated/postgresql/client.ts'
import type { PrismaClient } from './generated/sqlite/client.ts'
import { observedAdapter, type StatementListener } from './observed-adapter.ts'
import { postgresqlDialect } from './postgresql-dialect.ts'
import { statementNames } from './statement-names.ts'
import { transactionOptions } from './transaction-options.ts'

export interface PostgresqlTimeouts {
  /** To get a connection, of the pool or a new one. */
  readonly connectMs: number
  readonly lockMs: number
  readonly statementMs: number
  /** For a transaction that waits for its client: less than others wait for its locks, as the client may be suspended. */
  readonly idleTransactionMs: number
  /** For a connection that nobody uses. */
  readonly idleMs: number
  /** After which a connection from which nothing comes is given up, whatever it was to do. */
  readonly silenceMs: number
}

/** Each waits for what the one before it should have ended. */
const usual: PostgresqlTimeouts = {
  connectMs: 5000,
  idleTransactionMs: 3000,
  lockMs: 5000,
  statementMs: 10_000,
  idleMs: 10_000,
  silenceMs: 15_000,
}

export interface OpenPostgresql {
  readonly url: string
  readonly onStatement: StatementListener
  readonly poolSize?: number
  readonly timeouts?: Partial<PostgresqlTimeouts>
  readonly log?: Log
}

const POOL_SIZE = 10

/**
 * A pool of connections to a PostgreSQL database that is migrated; they are made when they are needed.
 *
 * The deadline on our side is the silence of the socket. pg's own `query_timeout` gives up the query and not the
 * connection, which would go back to the pool with its transaction open.
 */
export async function openPostgresql(options: OpenPostgresql): Promise<Database> {
  const { url, onStatement, poolSize = POOL_SIZE, log } = options
  const timeouts = { ...usual, ...options.timeouts }
  const onError = (error: Error) => log?.warn({ err: error }, 'A connection to the database was lost.')
  const pg = new PrismaPg(
    {
      connectionString: url,
      application_name: 'flexharness',
      max: poolSize,
      keepAlive: true,
      connectionTimeoutMillis: timeouts.connectMs,
      lock_timeout: timeouts.lockMs,
      statement_timeout: timeouts.statementMs,
      idle_in_transaction_session_timeout: timeouts.idleTransactionMs,
      idleTimeoutMillis: timeouts.idleMs,
      stream: () => impatientSocket(timeouts.silenceMs),
    },
    { statementNameGenerator: statementNames(), onPoolError: onError, onConnectionError: onError },
  )
  const adapter = observedAdapter(pg, onStatement)
  const client = new PostgresqlClient({ adapter, transactionOptions })
  await client.$connect()
  // The clients are made from the same models and differ only in what we do not use.
  return databaseOf(client as unknown as PrismaClient, postgresqlDialect)
}

function impatientSocket(silenceMs: number): Socket {
  const socket = new Socket()
  return socket.setTimeout(silenceMs, () => {
    socket.destroy(new Error(`Nothing came from the database for ${silenceMs} ms.`))
  })
}

import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils'
import { NotBegun } from './not-begun.ts'

/**
 * A driver adapter as it is, but for two things: it tells every statement before it is sent, and what fails before a
 * transaction has begun is a `NotBegun`, which nothing behind it could tell apart from a loss at COMMIT.
 */

export type StatementListener = (sql: string) => void

export function observedAdapter(
  factory: SqlDriverAdapterFactory,
  onStatement: StatementListener,
): SqlDriverAdapterFactory {
  const { provider, adapterName } = factory
  return { provider, adapterName, connect: async () => observed(await factory.connect(), onStatement) }
}

function observed(adapter: SqlDriverAdapter, onStatement: StatementListener): SqlDriverAdapter {
  const info = adapter.getConnectionInfo?.()
  return {
    ...queryable(adapter, onStatement),
    ...(info && { getConnectionInfo: () => info }),
    executeScript(script) {
      onStatement(script)
      return adapter.executeScript(script)
    },
    async startTransaction(isolation?: IsolationLevel) {
      onStatement('BEGIN')
      try {
        return transaction(await adapter.startTransaction(isolation), onStatement)
      } catch (error) {
        throw new NotBegun(error)
      }
    },
    dispose: () => adapter.dispose(),
  }
}

/** Without savepoints: our transactions are lists of statements. */
function transaction(inner: Transaction, onStatement: StatementListener): Transaction {
  return {
    ...queryable(inner, onStatement),
    options: inner.options,
    commit() {
      if (inner.options.usePhantomQuery) onStatement('COMMIT')
      return inner.commit()
    },
    rollback() {
      if (inner.options.usePhantomQuery) onStatement('ROLLBACK')
      return inner.rollback()
    },
  }
}

function queryable(inner: SqlQueryable, onStatement: StatementListener): SqlQueryable {
  const { provider, adapterName } = inner
  return {
    provider,
    adapterName,
    queryRaw(query: SqlQuery) {
      onStatement(query.sql)
      return inner.queryRaw(query)
    },
    executeRaw(query: SqlQuery) {
      onStatement(query.sql)
      return inner.executeRaw(query)
    },
  }
}

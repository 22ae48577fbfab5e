import { DriverAdapterError } from '@prisma/driver-adapter-utils'
import { expect, test } from 'vitest'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { DriverCause } from './driver-cause.ts'
import { NotBegun } from './not-begun.ts'
import { postgresqlDialect } from './postgresql-dialect.ts'
import { sqliteDialect } from './sqlite-dialect.ts'
import { changeFailure, readFailure } from './store-failure.ts'

const postgres = (code: string): DriverCause =>
  ({ kind: 'postgres', code, severity: 'ERROR', message: '' }) as DriverCause
const sqlite = (extendedCode: number): DriverCause => ({ kind: 'sqlite', extendedCode, message: '' })

/** As Prisma wraps what a statement met. */
function wrapped(cause: DriverCause): Error {
  const meta = { driverAdapterError: new DriverAdapterError(cause) }
  return Object.assign(new Error('Raw query failed.'), { code: 'P2010', meta })
}

test.each([
  ['22P02', 'notCommitted'],
  ['25006', 'notCommitted'],
  ['23514', 'notCommitted'],
  ['40003', 'notCommitted'],
  ['53100', 'notCommitted'],
  ['55P03', 'notCommitted'],
  ['57014', 'notCommitted'],
  ['57P01', 'uncertain'],
  ['08006', 'uncertain'],
  ['25P03', 'uncertain'],
  ['XX000', 'uncertain'],
  ['XX001', 'fatal'],
  ['58030', 'fatal'],
] as const)('SQLSTATE %s is %s', (code, failure) => {
  expect(changeFailure(postgresqlDialect, wrapped(postgres(code))).failure).toBe(failure)
})

test.each([
  [5, 'notCommitted'],
  [8, 'notCommitted'],
  [13, 'notCommitted'],
  [275, 'notCommitted'], // CHECK
  [4874, 'uncertain'], // the index of the log cannot grow
  [10, 'fatal'],
  [1034, 'fatal'], // fsync
  [11, 'fatal'],
  [26, 'fatal'],
  [7, 'uncertain'],
  [21, 'uncertain'],
] as const)('result code %i of SQLite is %s, in a statement and at COMMIT', (code, failure) => {
  expect(changeFailure(sqliteDialect, wrapped(sqlite(code))).failure).toBe(failure)
  expect(changeFailure(sqliteDialect, new DriverAdapterError(sqlite(code))).failure).toBe(failure)
})

test.each([
  [{ kind: 'UniqueConstraintViolation' }, 'conflict'],
  [{ kind: 'NullConstraintViolation' }, 'notCommitted'],
  [{ kind: 'TransactionWriteConflict' }, 'notCommitted'],
  [{ kind: 'DatabaseNotReachable' }, 'notCommitted'],
  [{ kind: 'TooManyConnections', cause: '' }, 'notCommitted'],
  [{ kind: 'TableDoesNotExist' }, 'fatal'],
  [{ kind: 'ColumnNotFound' }, 'fatal'],
  [{ kind: 'ConnectionClosed' }, 'uncertain'],
  [{ kind: 'TransactionAlreadyClosed', cause: '' }, 'uncertain'],
] as const)('%j is %s on both', (cause, failure) => {
  for (const dialect of [sqliteDialect, postgresqlDialect]) {
    expect(changeFailure(dialect, wrapped(cause)).failure).toBe(failure)
  }
})

test('busy is harmless on SQLite; the same word for a socket of PostgreSQL is not', () => {
  const cause: DriverCause = { kind: 'SocketTimeout' }
  expect(changeFailure(sqliteDialect, wrapped(cause)).failure).toBe('notCommitted')
  expect(changeFailure(postgresqlDialect, wrapped(cause)).failure).toBe('uncertain')
})

test('before a transaction has begun only what is fatal is worse than not committed', () => {
  const lost = new NotBegun(new Error('timeout exceeded when trying to connect'))
  const corrupt = new NotBegun(new DriverAdapterError(sqlite(11)))
  const message = 'Transaction API error: Unable to start a transaction in the given time.'
  const late = Object.assign(new Error(message), { code: 'P2028' })
  expect([lost, corrupt, late].map((error) => changeFailure(sqliteDialect, error).failure)).toEqual([
    'notCommitted',
    'fatal',
    'notCommitted',
  ])
})

test('what nobody knows is uncertain, and keeps its story', () => {
  const error = new Error('Connection terminated unexpectedly')
  const failure = changeFailure(postgresqlDialect, error)
  expect(failure).toMatchObject({ failure: 'uncertain', message: error.message, cause: error })
  expect(changeFailure(postgresqlDialect, 'a string').failure).toBe('uncertain')
  expect(changeFailure(postgresqlDialect, { code: 'P2028' }).failure).toBe('uncertain')
})

test('a failure that is known stays as it is; that of a query changed nothing', () => {
  const conflict = new StoreFailure('conflict', 'known')
  expect(changeFailure(sqliteDialect, conflict)).toBe(conflict)
  expect(readFailure(postgresqlDialect, new Error('Connection terminated unexpectedly')).failure).toBe('notCommitted')
  expect(readFailure(sqliteDialect, wrapped(sqlite(11))).failure).toBe('fatal')
})

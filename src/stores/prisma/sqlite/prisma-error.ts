import { DriverAdapterError, type MappedError } from '@prisma/driver-adapter-utils'

/** What `node:sqlite` throws; `errcode` is an extended result code, see https://www.sqlite.org/rescode.html. */
type SqliteError = Error & { readonly code?: string; readonly errcode?: number }

const BUSY = 5

/** True when another connection holds the database: the statement did nothing and may be repeated. */
export function isBusy(error: unknown): boolean {
  return ((error as SqliteError).errcode ?? 0) % 256 === BUSY
}

/** The error Prisma understands for an error of SQLite; any other error as it is. */
export function toPrismaError(error: unknown): Error {
  const { code, errcode, message } = error as SqliteError
  const mapped = errcode === undefined ? mapDriverError(code, message) : mapSqliteError(errcode, message)
  if (!mapped) return error as Error
  return new DriverAdapterError({ ...mapped, originalCode: String(errcode ?? code), originalMessage: message })
}

function mapDriverError(code: string | undefined, message: string): MappedError | undefined {
  if (code === 'ERR_INVALID_STATE') return { kind: 'ConnectionClosed' }
  if (code === 'ERR_INVALID_ARG_VALUE' && message.includes('BigInt')) return { kind: 'ValueOutOfRange', cause: message }
  return undefined
}

function mapSqliteError(errcode: number, message: string): MappedError {
  switch (errcode) {
    case 1555: // primary key
    case 2067: // unique
    case 2579: // rowid
      return { kind: 'UniqueConstraintViolation', ...failedColumns(message) }
    case 1299: // not null
      return { kind: 'NullConstraintViolation', constraint: failedColumns(message).constraint }
    case 787: // foreign key
    case 1811: // a trigger: that of ON DELETE RESTRICT, or RAISE() in one of the user's own
      if (message.startsWith('FOREIGN KEY')) {
        return { kind: 'ForeignKeyConstraintViolation', constraint: { foreignKey: {} } }
      }
      break
    case 20: // mismatch
    case 3091: // a value of the wrong type for a STRICT table
      return { kind: 'InvalidInputValue', message }
    case 18: // too big
      return { kind: 'ValueOutOfRange', cause: message }
    case 517: // busy snapshot
      return { kind: 'TransactionWriteConflict' }
  }
  const primary = errcode % 256
  if (primary === BUSY || primary === 6) return { kind: 'SocketTimeout' } // 6: locked
  if (primary === 14) return { kind: 'DatabaseNotReachable' } // cannot open
  return mapMessage(message) ?? { kind: 'sqlite', extendedCode: errcode, message }
}

/** The plain error 1 says in words only what is missing. */
function mapMessage(message: string): MappedError | undefined {
  const table = /^no such table: (.+)/.exec(message)?.[1]
  if (table) return { kind: 'TableDoesNotExist', table }
  const column = /(?:^no such column:|has no column named) (\S+)/.exec(message)?.[1]
  if (column) return { kind: 'ColumnNotFound', column }
  // The rest, such as a full disk (13) or a failed CHECK (275), reaches the user as P2039 with SQLite's own message.
  return undefined
}

/** Reads `UNIQUE constraint failed: User.a, User.b` or `UNIQUE constraint failed: index 'name'`. */
function failedColumns(message: string): { table?: string; constraint: { fields: string[] } | { index: string } } {
  const detail = message.slice(message.indexOf(': ') + 2)
  const index = /^index '(.+)'$/.exec(detail)?.[1]
  if (index) return { constraint: { index } }
  const columns = detail.split(', ').map((column) => column.split('.'))
  const table = columns[0]?.[0]
  return {
    ...(table === undefined ? {} : { table }),
    constraint: { fields: columns.map((parts) => parts.at(-1) ?? '') },
  }
}

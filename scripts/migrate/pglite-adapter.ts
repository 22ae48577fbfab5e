import { type PGlite, types } from '@electric-sql/pglite'
import {
  type ColumnType,
  ColumnTypeEnum as Column,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils'

/** What the catalogue of PostgreSQL and the table of migrations consist of. */
const columnTypes = new Map<number, ColumnType>([
  [types.BOOL, Column.Boolean],
  [types.CHAR, Column.Character],
  [types.INT2, Column.Int32],
  [types.INT4, Column.Int32],
  [types.OID, Column.Int32],
  [types.INT8, Column.Int64],
  [types.TEXT, Column.Text],
  [types.VARCHAR, Column.Text],
  [19, Column.Text], // name
  [1009, Column.TextArray],
  [types.TIMESTAMPTZ, Column.DateTime],
])

const parsers = {
  [types.INT8]: (text: string): string => text,
  [types.TIMESTAMPTZ]: (text: string): string => text.replace(' ', 'T').replace(/[+]00$/, '+00:00'),
}

/**
 * PostgreSQL in this process, for Prisma's schema engine to apply migrations to and to look at the result.
 * It does what the engine asks for and no more: no transactions, and no types but those of the catalogue.
 */
export class PgliteAdapter implements SqlDriverAdapter {
  readonly provider = 'postgres'
  readonly adapterName = 'pglite'
  readonly #db: PGlite

  constructor(db: PGlite) {
    this.#db = db
  }

  async queryRaw({ sql, args }: SqlQuery): Promise<SqlResultSet> {
    const { fields, rows } = await this.#db.query<unknown[]>(sql, args, { rowMode: 'array', parsers }).catch(refuse)
    return {
      columnNames: fields.map(({ name }) => name),
      columnTypes: fields.map(({ name, dataTypeID }) => {
        const type = columnTypes.get(dataTypeID)
        if (type === undefined) throw new Error(`Column ${name} has a type that is not expected here: ${dataTypeID}`)
        return type
      }),
      rows,
    }
  }

  async executeRaw({ sql, args }: SqlQuery): Promise<number> {
    const { affectedRows } = await this.#db.query(sql, args).catch(refuse)
    return affectedRows ?? 0
  }

  async executeScript(script: string): Promise<void> {
    await this.#db.exec(script).catch(refuse)
  }

  startTransaction(): Promise<Transaction> {
    return Promise.reject(new Error('Migrations bring their own transactions'))
  }

  getConnectionInfo() {
    return { schemaName: 'public', supportsRelationJoins: true }
  }

  async dispose(): Promise<void> {
    if (!this.#db.closed) await this.#db.close()
  }
}

/** Passes an error of PostgreSQL on to the engine. */
function refuse(error: Error & { readonly code?: string; readonly detail?: string }): never {
  const { code = 'XX000', message, detail } = error
  const unknown = { detail, column: undefined, hint: undefined }
  throw new DriverAdapterError({ kind: 'postgres', code, severity: 'ERROR', message, ...unknown })
}

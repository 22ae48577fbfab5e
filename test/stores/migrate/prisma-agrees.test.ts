import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { migrationList } from '../../../scripts/migrate/migration-list.ts'
import { schemaOf } from '../../../scripts/migrate/missing-sql.ts'
import { withSchemaEngine } from '../../../scripts/migrate/schema-engine.ts'
import { migratePostgresql } from '../../../src/stores/prisma/migrate/migrate-postgresql.ts'
import { migrateSqlite } from '../../../src/stores/prisma/migrate/migrate-sqlite.ts'
import { readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder, type Provider } from '../../../src/stores/prisma/migrate/migrations-folder.ts'
import { NodeSqlite } from '../../../src/stores/prisma/sqlite/node-sqlite.ts'
import { postgresUrl, scratchDatabase } from '../../support/postgres.ts'
import { scratchFile } from '../sqlite/scratch-file.ts'

const server = await postgresUrl()
const filters = { externalTables: [], externalEnums: [] }
const inSync = { editedMigrationNames: [], failedMigrationNames: [], hasMigrationsTable: true, history: null }

/** Runs the engine behind `prisma migrate` on a database. */
function prisma<T>(
  provider: Provider,
  database: SqlMigrationAwareDriverAdapterFactory,
  work: (engine: SchemaEngine, list: ReturnType<typeof migrationList>) => Promise<T>,
): Promise<T> {
  const list = migrationList(migrationsFolder(provider), provider)
  return withSchemaEngine(schemaOf(provider), database, (engine) => work(engine, list))
}

const deploy = (provider: Provider, database: SqlMigrationAwareDriverAdapterFactory) =>
  prisma(provider, database, async (engine, migrationsList) => {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters })
    const status = await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters })
    return { appliedMigrationNames, status }
  })

describe('what the server has migrated, prisma migrate deploy', () => {
  test('finds a SQLite database in order, and the other way round', async () => {
    const migrations = readMigrations(migrationsFolder('sqlite'))
    const names = migrations.map(({ name }) => name)
    const [ours, theirs] = [scratchFile(), scratchFile()]
    expect(await migrateSqlite(ours, migrations)).toEqual(names)
    expect(await deploy('sqlite', new NodeSqlite({ url: ours }))).toEqual({ appliedMigrationNames: [], status: inSync })

    const { appliedMigrationNames } = await deploy('sqlite', new NodeSqlite({ url: theirs }))
    expect(appliedMigrationNames).toEqual(names)
    expect(await migrateSqlite(theirs, migrations)).toEqual([])

    const read = (file: string) => {
      using db = new DatabaseSync(file)
      const time = `GLOB '????-??-??T??:??:??.???+00:00'`
      return [
        db.prepare(`SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info('_prisma_migrations')`).all(),
        db
          .prepare(
            `SELECT checksum, migration_name, logs, rolled_back_at, applied_steps_count, length(id) AS id_length,
                    started_at ${time} AS started, finished_at ${time} AS finished FROM _prisma_migrations`,
          )
          .all(),
      ]
    }
    expect(read(ours)).toEqual(read(theirs))
  })

  test.skipIf(server === undefined)('finds a PostgreSQL database in order, and the other way round', async () => {
    const migrations = readMigrations(migrationsFolder('postgresql'))
    const names = migrations.map(({ name }) => name)
    const [ours, theirs] = await Promise.all([scratchDatabase(), scratchDatabase()])
    onTestFinished(async () => void (await Promise.all([ours.drop(), theirs.drop()])))
    expect(await migratePostgresql(ours.url, migrations)).toEqual(names)
    expect(await deploy('postgresql', new PrismaPg(ours.url))).toEqual({ appliedMigrationNames: [], status: inSync })

    const { appliedMigrationNames } = await deploy('postgresql', new PrismaPg(theirs.url))
    expect(appliedMigrationNames).toEqual(names)
    expect(await migratePostgresql(theirs.url, migrations)).toEqual([])

    const read = async (url: string) => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      const { rows: columns } = await client.query<object>(
        `SELECT column_name, data_type, character_maximum_length, column_default, is_nullable
         FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`,
      )
      const { rows } = await client.query<object>(
        `SELECT checksum, migration_name, logs, rolled_back_at, applied_steps_count, length(id) AS id_length,
                started_at <= finished_at AS finished FROM _prisma_migrations`,
      )
      await client.end()
      return { columns, rows }
    }
    expect(await read(ours.url)).toEqual(await read(theirs.url))
  })
})

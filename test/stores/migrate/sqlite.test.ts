import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migrateDatabase } from '../../../src/stores/prisma/migrate/migrate-database.ts'
import { migrateSqlite } from '../../../src/stores/prisma/migrate/migrate-sqlite.ts'
import { readMigrations } from '../../../src/stores/prisma/migrate/migration.ts'
import { migrationsFolder } from '../../../src/stores/prisma/migrate/migrations-folder.ts'
import { scratchFile } from '../sqlite/scratch-file.ts'
import { scratchFolder, scratchMigrations } from './scratch-migrations.ts'

const init = { '1_init': 'CREATE TABLE a (x INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a ON DELETE CASCADE);' }
const more = { '2_more': 'ALTER TABLE a ADD COLUMN y TEXT;' }
// What Prisma writes when a column changes.
const rebuild = {
  '2_rebuild': `
    PRAGMA defer_foreign_keys=ON;
    PRAGMA foreign_keys=OFF;
    CREATE TABLE "new_a" (x INTEGER PRIMARY KEY, y TEXT);
    INSERT INTO "new_a" (x) SELECT x FROM "a";
    DROP TABLE "a";
    ALTER TABLE "new_a" RENAME TO "a";
    PRAGMA foreign_keys=ON;
    PRAGMA defer_foreign_keys=OFF;`,
}
const problem = (name: string, migration?: string) => ({ name: 'MigrationError', problem: name, migration })

describe('a SQLite database', () => {
  let file: string
  const migrate = (scripts: Readonly<Record<string, string>>) => migrateSqlite(`file:${file}`, scratchMigrations(scripts))

  function read(sql: string, from = file): unknown[] {
    using db = new DatabaseSync(from, { readOnly: true })
    return db.prepare(sql).all()
  }

  function write(sql: string): void {
    using db = new DatabaseSync(file)
    db.exec(sql)
  }

  beforeEach(() => {
    file = scratchFile()
  })

  test('gets everything at first and nothing the second time', async () => {
    const names = readMigrations(migrationsFolder('sqlite')).map(({ name }) => name)
    expect(names[0]).toMatch(/^\d{14}_init$/)
    expect(await migrateDatabase(`file:${file}`)).toEqual(names)
    expect(read('SELECT count(*) AS sessions FROM Session')).toEqual([{ sessions: 0 }])
    expect(await migrateDatabase(`file:${file}`)).toEqual([])
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)])
  })

  test('gets what came later', async () => {
    expect(await migrate(init)).toEqual(['1_init'])
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
    expect(read('SELECT migration_name AS name, applied_steps_count AS steps FROM _prisma_migrations')).toEqual([
      { name: '1_init', steps: 1 },
      { name: '2_more', steps: 1 },
    ])
  })

  test('is copied before it changes when it has rows, and only then', async () => {
    await migrate(init)
    await migrate({ ...init, ...more })
    expect(readdirSync(path.dirname(file))).toEqual([path.basename(file)])
    write('INSERT INTO a (x) VALUES (7)')
    await migrate({ ...init, ...more, '3_drop': 'DROP TABLE b;', '4_drop': 'DROP TABLE a;' })
    const copy = `${file}.before-3_drop.bak`
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual([file, copy].map((name) => path.basename(name)))
    expect(read('SELECT x, y FROM a', copy)).toEqual([{ x: 7, y: null }])
    expect(read('SELECT count(*) AS n FROM _prisma_migrations', copy)).toEqual([{ n: 2 }])
  })

  test('keeps the rows that refer to a table which is rebuilt', async () => {
    await migrate(init)
    write('INSERT INTO a (x) VALUES (7); INSERT INTO b (a) VALUES (7)')
    expect(await migrate({ ...init, ...rebuild })).toEqual(['2_rebuild'])
    expect(read('SELECT a, y FROM b JOIN a ON a.x = b.a')).toEqual([{ a: 7, y: null }])
  })

  test('stays as it is when a migration fails, without the ones before it', async () => {
    await migrate(init)
    write('INSERT INTO a (x) VALUES (7)')
    const broken = { ...init, ...more, '3_broken': 'INSERT INTO a (x) VALUES (8); INSERT INTO nope VALUES (1);' }
    await expect(migrate(broken)).rejects.toMatchObject(problem('REFUSED', '3_broken'))
    await expect(migrate(broken)).rejects.toThrow('no such table: nope')
    expect(read('SELECT * FROM a')).toEqual([{ x: 7 }])
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
  })

  test('stays as it is when a migration would leave a row that refers to nothing', async () => {
    await migrate(init)
    write('INSERT INTO a (x) VALUES (7); INSERT INTO b (a) VALUES (7)')
    const broken = migrate({ ...init, '2_orphans': 'DELETE FROM a;' })
    await expect(broken).rejects.toMatchObject(problem('REFUSED', '2_orphans'))
    expect(read('SELECT a FROM b')).toEqual([{ a: 7 }])
    expect(read('SELECT x FROM a')).toEqual([{ x: 7 }])
  })

  test('has all or nothing when the process is killed in the middle', async () => {
    await migrate(init)
    const long = `INSERT INTO a WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
                  SELECT i, NULL FROM n LIMIT 20000000;`
    const folder = scratchFolder({ ...init, ...more, '3_long': long })
    const script = fileURLToPath(new URL('migrator.ts', import.meta.url))
    const child = spawn(process.execPath, [script, file, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    for await (const { filename } of watch(path.dirname(file))) if (filename === `${path.basename(file)}-journal`) break
    child.kill('SIGKILL')
    expect(await exit).toEqual([null, 'SIGKILL'])
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
    expect(read('SELECT x, y FROM a')).toEqual([])
  })

  test('is refused when a migration was edited after it was applied', async () => {
    await migrate(init)
    const edited = { '1_init': `${init['1_init']} -- changed`, ...more }
    await expect(migrate(edited)).rejects.toMatchObject(problem('EDITED', '1_init'))
    expect(await migrate({ '1_init': init['1_init'] })).toEqual([])
  })

  test('is refused when it is newer than this build', async () => {
    await migrate({ ...init, ...more })
    await expect(migrate(init)).rejects.toMatchObject(problem('NEWER', '2_more'))
  })

  test('is refused while a migration of the prisma command has failed on it', async () => {
    await migrate(init)
    write(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('1', '2', '2_more')`)
    await expect(migrate({ ...init, ...more })).rejects.toMatchObject(problem('FAILED', '2_more'))
    write(`UPDATE _prisma_migrations SET rolled_back_at = current_timestamp WHERE migration_name = '2_more'`)
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
  })

  test('is refused when it belongs to something else', async () => {
    write('CREATE TABLE theirs (x)')
    await expect(migrate(init)).rejects.toMatchObject(problem('FOREIGN'))
    expect(read('SELECT name FROM sqlite_schema')).toEqual([{ name: 'theirs' }])
  })

  test('is refused while another process writes to it', async () => {
    await migrate(init)
    using other = new DatabaseSync(file)
    other.exec('BEGIN IMMEDIATE')
    const impatient = migrateSqlite(file, scratchMigrations({ ...init, ...more }), { lockTimeoutMs: 50 })
    await expect(impatient).rejects.toMatchObject(problem('BUSY'))
    other.exec('ROLLBACK')
    expect(await migrate({ ...init, ...more })).toEqual(['2_more'])
  })

  test('in memory is refused, as it belongs to one connection', async () => {
    await expect(migrateSqlite(':memory:', [])).rejects.toThrow('in memory')
    expect(existsSync(':memory:')).toBe(false)
  })

  test('takes a migration whose lines end as on Windows for the same', async () => {
    const script = 'CREATE TABLE a (x);\nCREATE TABLE b (x);\n'
    await migrate({ '1_init': script })
    expect(await migrate({ '1_init': script.replaceAll('\n', '\r\n') })).toEqual([])
  })
})

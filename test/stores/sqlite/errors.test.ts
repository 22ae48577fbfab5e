import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import type { PrismaClient } from './generated/client.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const item = { id: 1, name: '', a: 1, b: 1, s: '' }

describe('an error of SQLite reaches the caller as the error of Prisma it is', () => {
  let file: string
  let prisma: PrismaClient

  /** Changes the schema behind the client's back. */
  function change(sql: string): void {
    const db = new DatabaseSync(file)
    db.exec(sql)
    db.close()
  }

  beforeEach(async () => {
    file = scratchFile()
    prisma = await openClient(file)
  })

  afterEach(() => prisma.$disconnect())

  test('constraints, with the fields', async () => {
    const post = { slug: 's', lang: 'l', title: 't' }
    const { id } = await prisma.user.create({ data: { email: 'a', name: 'x', posts: { create: post } } })
    await expect(prisma.user.create({ data: { email: 'a', name: 'x' } })).rejects.toMatchObject({
      code: 'P2002',
      message: expect.stringContaining('fields: (`email`)') as string,
    })
    await expect(prisma.post.create({ data: { ...post, authorId: id } })).rejects.toMatchObject({
      code: 'P2002',
      message: expect.stringContaining('`slug`, `lang`') as string,
    })
    expect(await codeOf(prisma.post.create({ data: { ...post, slug: 'z', authorId: 99 } }))).toBe('P2003')
    expect(await codeOf(prisma.user.delete({ where: { id } }))).toBe('P2003')
    expect(await codeOf(prisma.user.update({ where: { id: 99 }, data: { name: 'q' } }))).toBe('P2025')
    await expect(prisma.$executeRaw`INSERT INTO User (email, name) VALUES ('a', 'x')`).rejects.toMatchObject({
      code: 'P2010',
      message: expect.stringContaining('2067') as string,
    })
  })

  test('triggers and checks', async () => {
    change(`CREATE TRIGGER no_items BEFORE INSERT ON Item BEGIN SELECT RAISE(ABORT, 'custom'); END;
            CREATE TABLE Other ("id" TEXT NOT NULL PRIMARY KEY, "rev" INTEGER NOT NULL, "body" TEXT CHECK (body IS NULL));
            DROP TABLE Event; DROP TABLE Run; ALTER TABLE Other RENAME TO Run`)
    expect(await codeOf(prisma.item.create({ data: item }))).toBe('P2039')
    expect(await codeOf(prisma.run.create({ data: { id: 'a', rev: 1, body: {} } }))).toBe('P2039')
  })

  test('tables and columns that are missing', async () => {
    expect(await codeOf(prisma.run.findMany())).toBe('ok')
    change('DROP TABLE Event; ALTER TABLE Run DROP COLUMN rev')
    expect(await codeOf(prisma.event.findMany())).toBe('P2021')
    expect(await codeOf(prisma.run.findMany())).toBe('P2022')
    expect(await codeOf(prisma.run.create({ data: { id: 'a', rev: 1, body: {} } }))).toBe('P2022')
  })

  test('a column that must not be null', async () => {
    change(`DROP TABLE Item; CREATE TABLE Item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, a INTEGER NOT NULL,
            b REAL NOT NULL, s TEXT NOT NULL, more TEXT NOT NULL)`)
    await expect(prisma.item.create({ data: item })).rejects.toMatchObject({
      code: 'P2011',
      message: expect.stringContaining('`more`') as string,
    })
  })
})

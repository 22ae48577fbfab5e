import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import { Prisma, type PrismaClient } from './generated/client.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

describe('raw queries', () => {
  let prisma: PrismaClient

  beforeEach(async () => {
    prisma = await openClient(scratchFile())
  })

  afterEach(() => prisma.$disconnect())

  test('type a result by the declared columns', async () => {
    const bytes = new Uint8Array([1, 2])
    const row = { n: 1, big: 2n ** 62n, f: 1.5, d: 2.5, b: true, s: 'x', t: new Date(0), y: bytes, j: { a: 1 } }
    await prisma.kinds.createMany({ data: [row, { n: 2 }] })
    const [full, nulls] = await prisma.$queryRaw<[Record<string, unknown>, object]>`SELECT * FROM Kinds ORDER BY id`
    expect(full).toEqual({ ...row, id: 1, d: new Prisma.Decimal(2.5), c: null })
    expect(nulls).toMatchObject({ n: 2, t: null, y: null, j: null })
  })

  test('type an expression by its value', async () => {
    const [row] = await prisma.$queryRaw<object[]>`
      SELECT count(*) AS counted, 9007199254740993 AS big, 1.5 AS real, 'x' AS text, x'0102' AS bytes, NULL AS none,
             typeof(${5}) AS bound, ${5} / 2 AS half, length(${'a\u0000b'}) AS len, ${true} AS yes, ${10n} AS ten,
             ${new Date(5)} AS time, ${null} AS unbound
      FROM Kinds`
    expect(row).toEqual({
      counted: 0n,
      big: 9_007_199_254_740_993n,
      real: 1.5,
      text: 'x',
      bytes: new Uint8Array([1, 2]),
      none: null,
      bound: 'integer',
      half: 2n,
      len: 1n, // SQLite counts the characters before the first NUL
      yes: 1n,
      ten: 10n,
      time: '1970-01-01T00:00:00.005+00:00',
      unbound: null,
    })
    const mixed = Prisma.sql`SELECT 1 AS n UNION ALL SELECT 'two' UNION ALL SELECT 2.5`
    expect(await prisma.$queryRaw(mixed)).toEqual([{ n: 1 }, { n: 'two' }, { n: 2.5 }])
  })

  test('count the rows that a statement has changed', async () => {
    await prisma.kinds.createMany({ data: [{ n: 1 }, { n: 2 }] })
    expect(await prisma.$executeRaw`UPDATE Kinds SET n = 9 WHERE n < ${9}`).toBe(2)
    expect(await prisma.$executeRaw`UPDATE Kinds SET n = 8 WHERE n = 9 RETURNING n`).toBe(2)
    expect(await prisma.$executeRaw`SELECT 1`).toBe(0)
    expect(await prisma.$executeRaw`CREATE TABLE extra (a)`).toBe(0)
    expect(await prisma.$executeRaw`DELETE FROM Kinds WHERE n = 77`).toBe(0)
  })

  test('follow a table whose columns change', async () => {
    await prisma.$executeRaw`CREATE TABLE extra (a)`
    expect(await prisma.$queryRaw`INSERT INTO extra VALUES (1) RETURNING a`).toEqual([{ a: 1n }])
    expect(await prisma.$queryRaw`SELECT * FROM extra`).toEqual([{ a: 1n }])
    await prisma.$executeRaw`ALTER TABLE extra ADD COLUMN b TEXT`
    await prisma.$executeRaw`ALTER TABLE extra RENAME COLUMN a TO aa`
    expect(await prisma.$queryRaw`SELECT * FROM extra`).toEqual([{ aa: 1n, b: null }])
  })

  test('refuse a second statement and a transaction of one\'s own', async () => {
    await prisma.$executeRaw`CREATE TABLE extra (a)`
    await prisma.$executeRaw`INSERT INTO extra VALUES (1)`
    const single = /single statement/
    expect(await codeOf(prisma.$queryRawUnsafe('SELECT 1; DELETE FROM extra'))).toMatch(single)
    expect(await codeOf(prisma.$executeRawUnsafe('INSERT INTO extra VALUES (?); DELETE FROM extra', 1))).toMatch(single)
    expect(await codeOf(prisma.$executeRawUnsafe('BEGIN'))).toMatch(/\$transaction/)
    expect(await codeOf(prisma.$executeRawUnsafe('BEGIN; DELETE FROM extra'))).toMatch(/\$transaction/)
    expect(await prisma.$queryRaw`SELECT count(*) AS n FROM extra`).toEqual([{ n: 1n }])
    expect(await codeOf(prisma.$queryRawUnsafe('SELECT 1; -- done'))).toBe('ok')
    expect(await codeOf(prisma.user.create({ data: { email: 'after', name: '' } }))).toBe('ok')
  })
})

import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import { Prisma, type PrismaClient } from './generated/client.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const decimal = (value: number | string) => new Prisma.Decimal(value)

const rows: readonly Prisma.KindsCreateInput[] = [
  {
    n: 2_147_483_647,
    big: 9_223_372_036_854_775_807n,
    f: 0.1,
    d: decimal('12345.6789'),
    b: true,
    s: 'héllo\u0000wörld 😀',
    t: new Date('2024-02-29T23:59:59.999Z'),
    y: new Uint8Array([0, 255, 10]),
    j: { a: [1, null, 'x\ud800y\u0000', 1e300], n: { deep: true } },
    c: 'RED',
  },
  {
    n: -2_147_483_648,
    big: -9_223_372_036_854_775_808n,
    f: 1e308,
    d: decimal('-0.000001'),
    b: false,
    s: '',
    t: new Date('0001-01-01T00:00:00.000Z'),
    y: new Uint8Array(0),
    j: 5,
    c: 'GREEN',
  },
  {
    n: 0,
    big: 9_007_199_254_740_993n,
    f: -5,
    d: decimal('900719925474099300'),
    b: null,
    s: "';--",
    t: new Date(0),
    y: new Uint8Array(100_000).fill(7),
    j: 'text',
    c: null,
  },
  { n: null, big: null, f: null, d: null, b: null, s: null, t: null, y: null, j: [1.5], c: null },
  {
    n: 1,
    big: 1n,
    f: 5e-324,
    d: decimal(1),
    b: true,
    s: '123',
    t: new Date('9999-12-31T23:59:59.999Z'),
    y: new Uint8Array([65]),
    j: '5',
    c: null,
  },
  {
    n: 1,
    big: 1n,
    f: 3,
    d: decimal('1.10'),
    b: true,
    s: '1.0',
    t: new Date('1969-12-31T23:59:59.999Z'),
    y: new Uint8Array([65]),
    j: true,
    c: null,
  },
]

/** Decimals and bytes as text, so that two rows compare by what they hold. */
const plain = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]: [string, unknown]) => {
      if (value instanceof Uint8Array) return [name, Buffer.from(value).toString('hex')]
      return [name, Prisma.Decimal.isDecimal(value) ? value.toString() : value]
    }),
  )

describe('every scalar type', () => {
  let file: string
  let prisma: PrismaClient

  beforeEach(async () => {
    file = scratchFile()
    prisma = await openClient(file)
  })

  afterEach(() => prisma.$disconnect())

  test('comes back as it was written', async () => {
    for (const data of rows) {
      const { id, ...created } = await prisma.kinds.create({ data })
      expect(plain(created)).toEqual(plain(data))
      expect(plain(await prisma.kinds.findUniqueOrThrow({ where: { id }, omit: { id: true } }))).toEqual(plain(data))
    }
  })

  test('can be compared and aggregated', async () => {
    await prisma.kinds.createMany({ data: [...rows] })
    const count = (where: Prisma.KindsWhereInput) => prisma.kinds.count({ where })
    expect(await count({ big: 9_007_199_254_740_993n })).toBe(1)
    expect(await count({ t: { gte: new Date(0), lt: new Date('2025-01-01') } })).toBe(2)
    expect(await count({ y: new Uint8Array([0, 255, 10]) })).toBe(1)
    expect(await count({ s: 'héllo\u0000wörld 😀' })).toBe(1)
    expect(await count({ b: true })).toBe(3)
    expect(await count({ d: { gt: 1 } })).toBe(3)
    expect(
      await prisma.kinds.aggregate({
        _count: true,
        _max: { n: true, t: true, f: true },
        _sum: { n: true },
        _avg: { n: true },
      }),
    ).toEqual({
      _count: 6,
      _max: { n: 2_147_483_647, t: new Date('9999-12-31T23:59:59.999Z'), f: 1e308 },
      _sum: { n: 1 },
      _avg: { n: 0.2 },
    })
  })

  test('is stored as the SQLite type it should be', async () => {
    await prisma.kinds.create({ data: rows[0]! })
    const db = new DatabaseSync(file)
    const columns = ['n', 'big', 'f', 'd', 'b', 's', 't', 'y', 'j'].map((name) => `typeof(${name}) AS ${name}`)
    expect(db.prepare(`SELECT ${columns.join(', ')} FROM Kinds`).get()).toEqual({
      n: 'integer',
      big: 'integer',
      f: 'real',
      d: 'real',
      b: 'integer',
      s: 'text',
      t: 'text',
      y: 'blob',
      j: 'text',
    })
    db.close()
  })

  test('text with a lone surrogate is refused, as SQLite would store another', async () => {
    expect(await codeOf(prisma.kinds.create({ data: { s: 'a\ud800b' } }))).not.toBe('ok')
    expect(await codeOf(prisma.$executeRaw`INSERT INTO Kinds (s) VALUES (${'a\ud800b'})`)).not.toBe('ok')
    expect(await prisma.kinds.count()).toBe(0)
  })

  test('times written by other tools are understood', async () => {
    const db = new DatabaseSync(file)
    db.exec(`INSERT INTO Kinds (id, t, b, n) VALUES (1, 1700000000000, 1, 5), (2, '2024-01-01 12:00:00', 0, 6)`)
    db.close()
    const times = [{ t: new Date(1_700_000_000_000) }, { t: new Date('2024-01-01T12:00:00Z') }]
    expect(await prisma.kinds.findMany({ select: { t: true }, orderBy: { id: 'asc' } })).toEqual(times)
    expect(await prisma.$queryRaw`SELECT t FROM Kinds ORDER BY id`).toEqual(times)
  })
})

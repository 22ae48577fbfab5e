import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import type { PrismaClient } from './generated/client.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const user = (email: string, name = '') => ({ data: { email, name } })
const item = { data: { id: 1, name: '', a: 1, b: 1, s: '' } }

describe('a transaction', () => {
  let prisma: PrismaClient

  const emails = async () => (await prisma.user.findMany({ orderBy: { email: 'asc' } })).map(({ email }) => email)

  beforeEach(async () => {
    prisma = await openClient(scratchFile())
  })

  afterEach(() => prisma.$disconnect())

  test('may ask to be serializable, which it is', async () => {
    const count = (isolationLevel: 'Serializable') => prisma.$transaction([prisma.user.count()], { isolationLevel })
    expect(await codeOf(count('Serializable'))).toBe('ok')
  })

  test('that SQLite cut short because the disk is full leaves nothing half done', async () => {
    const [{ page_count: pages } = { page_count: 0n }] = await prisma.$queryRaw<{ page_count: bigint }[]>`
      PRAGMA page_count`
    await prisma.$queryRawUnsafe(`PRAGMA max_page_count = ${pages + 2n}`)
    const seen: string[] = []
    const outcome = await codeOf(
      prisma.$transaction(async (tx) => {
        await tx.user.create(user('first'))
        seen.push(await codeOf(tx.user.create(user('big', 'x'.repeat(100_000)))))
        seen.push(await codeOf(tx.user.create(user('after'))))
      }),
    )
    expect(seen[0]).toBe('P2039')
    expect(await emails()).toEqual(outcome === 'ok' ? ['after', 'first'] : [])
    expect(await codeOf(prisma.user.create(user('later')))).toBe('ok')
  })

  test('that SQLite rolled back by itself cannot go on', async () => {
    await prisma.$executeRaw`CREATE TRIGGER gone BEFORE INSERT ON Item BEGIN SELECT RAISE(ROLLBACK, 'gone'); END`
    const seen: string[] = []
    const outcome = await codeOf(
      prisma.$transaction(async (tx) => {
        await tx.user.create(user('first'))
        seen.push(await codeOf(tx.item.create(item)))
        seen.push(await codeOf(tx.user.create(user('after'))))
      }),
    )
    expect(seen).toEqual(['P2039', 'P1018'])
    expect(outcome).toBe('DriverAdapterError: TransactionAlreadyClosed') // Prisma gives errors of COMMIT no code
    expect(await prisma.user.count()).toBe(0)
  })

  test('whose commit fails is rolled back and frees the connection', async () => {
    await prisma.$executeRaw`CREATE TABLE parent (id INTEGER PRIMARY KEY)`
    await prisma.$executeRaw`CREATE TABLE child (p REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`
    const orphan = prisma.$transaction(async (tx) => tx.$executeRaw`INSERT INTO child VALUES (5)`)
    expect(await codeOf(orphan)).toBe('DriverAdapterError: ForeignKeyConstraintViolation')
    expect(await codeOf(prisma.$transaction(async (tx) => tx.user.create(user('x'))))).toBe('ok')
    expect(await prisma.$queryRaw`SELECT * FROM child`).toEqual([])
  })

  test('that takes too long is rolled back and frees the connection', async () => {
    const late = prisma.$transaction(
      async (tx) => {
        await tx.user.create(user('a'))
        let code = 'ok'
        while (code === 'ok') code = await codeOf(tx.user.count())
        await tx.user.create(user('b'))
      },
      { timeout: 50 },
    )
    expect(await codeOf(late)).toBe('P2028')
    expect(await emails()).toEqual([])
  })

  test('waits for its turn no longer than it was told to', async () => {
    const begun = Promise.withResolvers<void>()
    const tired = Promise.withResolvers<void>()
    const slow = prisma.$transaction(async (tx) => {
      await tx.user.create(user('slow'))
      begun.resolve()
      await tired.promise
    })
    await begun.promise
    const hurried = prisma.$transaction(async (tx) => tx.user.create(user('hurried')), { maxWait: 50 })
    expect(await codeOf(hurried)).toBe('P2028')
    tired.resolve()
    expect(await codeOf(slow)).toBe('ok')
    expect(await emails()).toEqual(['slow'])
  })

  test('nests: the inner one alone can be lost', async () => {
    await prisma.$transaction(async (tx) => {
      await tx.user.create(user('outer'))
      await tx.$transaction(async (inner) => inner.user.create(user('inner')))
      const lost = tx.$transaction(async (inner) => {
        await inner.user.create(user('lost'))
        throw new Error('no')
      })
      await expect(lost).rejects.toThrow('no')
    })
    expect(await emails()).toEqual(['inner', 'outer'])
  })
})

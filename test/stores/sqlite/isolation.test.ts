import { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { PrismaClient } from './generated/client.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const slow = { maxWait: 60_000, timeout: 60_000 }
const twins = [0, 1].map(() => ({ slug: 's', lang: 'a', title: '' }))
const user = (email: string) => ({ data: { email, name: 'x' } })

/** Thirty writes one after the other; answers the acknowledged ones. */
async function write(prisma: PrismaClient, writer: number): Promise<string[]> {
  const acknowledged: string[] = []
  for (let i = 0; i < 30; i++) {
    acknowledged.push((await prisma.user.create(user(`ok-${writer}-${i}`))).email)
    await setImmediate()
  }
  return acknowledged
}

/** The three ways in which a transaction can write a row and then fail. */
const failures: readonly ((prisma: PrismaClient, email: string) => Promise<unknown>)[] = [
  (prisma, email) =>
    prisma.$transaction(async (tx) => {
      await tx.user.create(user(email))
      await setImmediate()
      throw new Error('no')
    }, slow),
  (prisma, email) =>
    prisma.$transaction([prisma.user.create(user(email)), prisma.user.count(), prisma.user.create(user(email))]),
  (prisma, email) => prisma.user.create({ data: { ...user(email).data, posts: { create: twins } } }),
]

async function failAHundredTimes(prisma: PrismaClient, kind: number): Promise<number> {
  let failed = 0
  for (let i = 0; i < 100; i++) {
    await failures[kind]!(prisma, `bad-${kind}-${i}`).catch(() => (failed += 1))
    await setImmediate()
  }
  return failed
}

test('1,200 acknowledged writes survive beside 300 failing transactions, and nothing of those', async () => {
  const file = scratchFile()
  const prisma = await openClient(file)
  const [acknowledged, failed] = await Promise.all([
    Promise.all(Array.from({ length: 40 }, (_, writer) => write(prisma, writer))),
    Promise.all([0, 1, 2].map((kind) => failAHundredTimes(prisma, kind))),
  ])
  await prisma.$disconnect()
  expect(failed).toEqual([100, 100, 100])

  const db = new DatabaseSync(file, { readOnly: true })
  const stored = db.prepare('SELECT email FROM User').all().map(({ email }) => email)
  expect(acknowledged.flat()).toHaveLength(1200)
  expect(new Set(stored)).toEqual(new Set(acknowledged.flat()))
  expect(db.prepare('SELECT count(*) AS posts FROM Post').get()).toEqual({ posts: 0 })
  db.close()
})

import { expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const item = (id: number) => ({ id, name: `n${id}`, a: id, b: id / 2, s: 'é' })

test('one statement inserts 10,000 rows from JSON', async () => {
  const prisma = await openClient(scratchFile())
  const items = Array.from({ length: 10_000 }, (_, i) => item(i))
  const inserted = await prisma.$executeRaw`
    INSERT INTO Item (id, name, a, b, s)
    SELECT value->>'id', value->>'name', value->>'a', value->>'b', value->>'s' FROM json_each(${JSON.stringify(items)})`
  expect(inserted).toBe(10_000)
  expect(await prisma.item.findUnique({ where: { id: 4321 } })).toEqual(items[4321])
  await prisma.$disconnect()
})

test('createMany and `in` take lists longer than SQLite has parameters, all or nothing', { timeout: 60_000 }, async () => {
  const prisma = await openClient(scratchFile())
  const count = 8000 // of five columns each, against 32,766 parameters
  expect(await prisma.item.createMany({ data: Array.from({ length: count }, (_, i) => item(i)) })).toEqual({ count })
  expect(await prisma.item.findMany()).toHaveLength(count)
  const ids = Array.from({ length: 40_000 }, (_, i) => i * 2)
  expect(await prisma.item.findMany({ where: { id: { in: ids } } })).toHaveLength(count / 2)

  const withOneTwice = Array.from({ length: 5000 }, (_, i) => item(100_000 + (i % 4999)))
  expect(await codeOf(prisma.item.createMany({ data: withOneTwice }))).toBe('P2002')
  expect(await prisma.item.count()).toBe(count)
  await prisma.$disconnect()
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { codeOf } from './code-of.ts'
import { LoopMeter } from './loop-meter.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

const user = (email: string) => ({ data: { email, name: 'x' } })

test('writes wait for another process while the event loop turns', async () => {
  const file = scratchFile()
  const prisma = await openClient(file)
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const meter = new LoopMeter(10)
  let settled = 0
  const writes = [
    prisma.user.create(user('a')),
    prisma.$transaction([prisma.user.create(user('b'))]),
    prisma.$executeRaw`INSERT INTO User (email, name) VALUES ('c', 'x')`,
  ].map((write) => write.finally(() => (settled += 1)))

  await meter.untilTicks(40)
  meter.stop()
  expect(settled).toBe(0)
  expect(meter.longestGapMs).toBeLessThan(1000) // SQLite itself would block for all of the 5 s

  other.exec('COMMIT')
  other.close()
  await Promise.all(writes)
  expect(await prisma.user.count()).toBe(3)
  await prisma.$disconnect()
})

test('a write gives up with P1008 when the time is over, and the next one works', async () => {
  const file = scratchFile()
  const prisma = await openClient(file, { busyTimeoutMs: 100 })
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  expect(await codeOf(prisma.user.create(user('a')))).toBe('P1008')
  expect(await codeOf(prisma.$transaction([prisma.user.create(user('a'))]))).toBe('P1008')
  other.exec('ROLLBACK')
  other.close()
  expect(await codeOf(prisma.user.create(user('a')))).toBe('ok')
  await prisma.$disconnect()
})

test('two processes write at once and neither loses a row', async () => {
  const file = scratchFile()
  const prisma = await openClient(file)
  const script = fileURLToPath(new URL('writer.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file, 'child', '400'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const exit = once(child, 'exit')
  for (let i = 0; i < 400; i++) {
    await prisma.$transaction([prisma.user.create(user(`parent${i}`)), prisma.user.count()])
  }
  expect(await exit).toEqual([0, null])
  expect(await prisma.user.count()).toBe(800)
  await prisma.$disconnect()
}, 60_000)

test('2,000 saves back to back leave room for timers', async () => {
  const prisma = await openClient(scratchFile())
  const meter = new LoopMeter(5)
  const begin = performance.now()
  for (let i = 0; i < 1000; i++) await prisma.user.create(user(`e${i}`))
  await Promise.all(Array.from({ length: 1000 }, (_, i) => prisma.user.create(user(`f${i}`))))
  const durationMs = performance.now() - begin
  meter.stop()
  expect(meter.ticks).toBeGreaterThan(durationMs / 40)
  await prisma.$disconnect()
}, 60_000)

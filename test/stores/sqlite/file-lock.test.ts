import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { DatabaseInUseError } from '../../../src/stores/prisma/sqlite/database-in-use-error.ts'
import { FileLock } from '../../../src/stores/prisma/sqlite/file-lock.ts'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

/** Starts another process that acquires the lock of the file. */
function startHolder(file: string) {
  const script = fileURLToPath(new URL('lock-holder.ts', import.meta.url))
  const child = spawn(process.execPath, ['--expose-gc', script, file])
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

async function holder(file: string) {
  const child = startHolder(file)
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('held\n')
  return child
}

test('a second process is refused and told the first, until that is killed', async () => {
  const file = scratchFile()
  const child = await holder(file)
  const attempt = () => FileLock.acquire(`file:${file}`)
  const message = `The database ${file} is in use by process ${child.pid}; stop it, or use another file.`
  expect(attempt).toThrow(DatabaseInUseError)
  expect(attempt).toThrow(message)
  expect(attempt).toThrow(message) // asking leaves the lock where it is

  child.kill('SIGKILL')
  await once(child, 'exit')
  const lock = attempt()
  expect(lock).toBeInstanceOf(FileLock)
  lock?.release()
})

test('the same process is refused as well, until the lock is released', () => {
  const url = `file:${scratchFile()}`
  const lock = FileLock.acquire(url)
  expect(() => FileLock.acquire(url)).toThrow(`in use by process ${process.pid};`)
  expect(() => FileLock.acquire(url)).toThrow(DatabaseInUseError)
  lock?.release()
  lock?.release()
  FileLock.acquire(url)?.release()
})

test('another process is refused after this one was, as being refused does not drop a lock', async () => {
  const file = scratchFile()
  const lock = FileLock.acquire(file)
  expect(() => FileLock.acquire(file)).toThrow(DatabaseInUseError)
  const child = startHolder(file)
  const errors: Buffer[] = []
  child.stderr.on('data', (data: Buffer) => errors.push(data))
  expect(await once(child, 'close')).toEqual([1, null])
  expect(Buffer.concat(errors).toString()).toContain(`in use by process ${process.pid};`)
  lock?.release()
})

test('the database itself stays free', async () => {
  const file = scratchFile()
  const lock = FileLock.acquire(file)
  const prisma = await openClient(file)
  expect(await prisma.user.count()).toBe(0)
  await prisma.$disconnect()
  lock?.release()
})

test('two names of one file have one lock', () => {
  const file = scratchFile()
  writeFileSync(file, '')
  const link = path.join(path.dirname(file), 'link.db')
  symlinkSync(file, link)
  const lock = FileLock.acquire(file)
  expect(() => FileLock.acquire(link)).toThrow(`The database ${link} is in use`)
  lock?.release()
})

test('the folder is created, and what is no folder is an error of its own', () => {
  const file = scratchFile('data/deep/test.db')
  FileLock.acquire(file)?.release()
  expect(existsSync(path.dirname(file))).toBe(true)
  const taken = scratchFile()
  mkdirSync(`${taken}.lock`)
  expect(() => FileLock.acquire(taken)).toThrow('unable to open database file')
})

test('a database in memory needs none', () => {
  expect(FileLock.acquire(':memory:')).toBeUndefined()
  expect(FileLock.acquire('file::memory:')).toBeUndefined()
})

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { databasePath } from '../../src/stores/prisma/sqlite/database-path.ts'
import { openWorld, type World } from '../contract/support/world.ts'
import { sqliteScratch } from '../stores/prisma/scratch.ts'
import { type Asked, violationsOf } from './commit-history.ts'
import type { Commits } from './committing-process.ts'
import { rowsOf } from './rows-of.ts'

const canInject = await canInjectFaults()

interface Disk {
  /** The file whose system calls fail, by what follows the name of the database. */
  readonly suffix: '-wal' | '-shm'
  /** Which calls fail, with what, and when, as strace says it. */
  readonly fault: string
}

/** Lets another process commit to a database on a disk that fails, until it dies; answers what it was told. */
async function committedOn({ suffix, fault }: Disk, commits: Commits): Promise<readonly Asked[]> {
  const script = fileURLToPath(new URL('committing-process.ts', import.meta.url))
  const traced = ['-f', '-qq', '-o', '/dev/null', '-P', `${databasePath(commits.url)}${suffix}`, '-e', fault]
  const command = [process.execPath, '--disable-warning=ExperimentalWarning', script]
  const child = spawn('strace', [...traced, ...command, JSON.stringify(commits)], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const asked: Asked[] = []
  for await (const line of createInterface(child.stdout)) asked.push(JSON.parse(line) as Asked)
  await closed
  return asked
}

async function sessionsIn(url: string, world: World): Promise<readonly number[]> {
  const sessions = await Promise.all([world.create(), world.create(), world.create()])
  await world.stores.close()
  expect(await violationsOf({ asked: [], resolved: [] }, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
  return sessions.map(({ key }) => key)
}

describe.skipIf(!canInject)('a disk that fails below SQLite', () => {
  test('C74: after one fsync that failed nothing is committed any more, and nothing acknowledged is lost', async () => {
    await using scratch = await sqliteScratch()
    const { url } = scratch
    const keys = await sessionsIn(url, await openWorld(await scratch.stores()))
    const fault = 'inject=fsync,fdatasync:error=EIO:when=25'
    const commits = { url, keys, failures: 5, checkpointEvery: 1000, size: 100_000 }
    const asked = await committedOn({ suffix: '-wal', fault }, commits)
    const answers = asked.map(({ answer }) => answer)
    const first = answers.indexOf('fatal')
    expect(first).toBeGreaterThan(10)
    expect(answers.slice(0, first).every((answer) => typeof answer === 'number')).toBe(true)
    expect(answers.slice(first)).toEqual(Array.from({ length: 5 }, () => 'fatal'))
    expect(await violationsOf({ asked, resolved: [] }, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
  })

  test.each([301, 316, 331, 346])('C73: a commit without room for write %i does not come back by a crash', async (at) => {
    await using scratch = await sqliteScratch()
    const { url } = scratch
    const keys = await sessionsIn(url, await openWorld(await scratch.stores()))
    const fault = `inject=pwrite64:error=ENOSPC:when=${at}+`
    const commits = { url, keys, failures: 2, checkpointEvery: 1000, size: 40_000 }
    const asked = await committedOn({ suffix: '-wal', fault }, commits)
    const answers = asked.map(({ answer }) => answer)
    expect(answers.slice(0, -2).every((answer) => typeof answer === 'number')).toBe(true)
    expect(answers.slice(-2)).toEqual(['notCommitted', 'notCommitted'])
    expect(answers.length).toBeGreaterThan(3)
    expect(await violationsOf({ asked, resolved: [] }, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
  })

  test('C73: a commit that fails when the index of the log cannot grow does not come back by a crash', async () => {
    await using scratch = await sqliteScratch()
    const { url } = scratch
    const keys = await sessionsIn(url, await openWorld(await scratch.stores()))
    // The first 32 KiB of the index are there; they are enough for the first 4,000 pages of the log.
    const fault = 'inject=pwrite64,write:error=ENOSPC:when=9+'
    const commits = { url, keys, failures: 2, checkpointEvery: 0, size: 1_500_000 }
    const asked = await committedOn({ suffix: '-shm', fault }, commits)
    const answers = asked.map(({ answer }) => answer)
    expect(answers.length).toBeGreaterThan(5)
    expect(answers.slice(0, -2).every((answer) => typeof answer === 'number')).toBe(true)
    // Fatal is the rare one that could not be excluded either, because it ended exactly where the index does.
    for (const answer of answers.slice(-2)) expect(['notCommitted', 'fatal']).toContain(answer)
    expect(await violationsOf({ asked, resolved: [] }, rowsOf(url))).toEqual({ violations: [], wrong: 0 })
  })
})

/** Whether system calls of a child can be made to fail; says so on stderr when they cannot. */
async function canInjectFaults(): Promise<boolean> {
  try {
    await promisify(execFile)('strace', ['-o', '/dev/null', 'true'])
    return true
  } catch (error) {
    process.emitWarning(`strace cannot be used, so no system call fails (${String(error)})`, 'SKIPPED')
    return false
  }
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openClient } from './open-client.ts'
import { scratchFile } from './scratch-file.ts'

/** Lets another process save, kills it after so many acknowledged saves, and answers the last one it acknowledged. */
async function saveUntilKilled(file: string, saves: number): Promise<number> {
  const script = fileURLToPath(new URL('saver.ts', import.meta.url))
  const child = spawn(process.execPath, [script, file], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let count = 0
  let last = 0
  for await (const line of createInterface(child.stdout)) {
    count += 1
    last = Number(line)
    if (count === saves) child.kill('SIGKILL')
  }
  await closed
  return last
}

test('kill -9, ten times: no acknowledged save is lost and none is torn', { timeout: 120_000 }, async () => {
  const file = scratchFile()
  const prisma = await openClient(file)
  await prisma.$disconnect()
  let revision = 0
  for (let round = 0; round < 10; round++) {
    const acknowledged = await saveUntilKilled(file, 20 + 17 * round)
    expect(acknowledged).toBeGreaterThan(revision)
    const db = new DatabaseSync(file)
    const { rev, events, integrity } = db
      .prepare(
        `SELECT (SELECT rev FROM Run) AS rev, (SELECT count(*) FROM Event) AS events,
                (SELECT integrity_check FROM pragma_integrity_check) AS integrity`,
      )
      .get() as { rev: number; events: number; integrity: string }
    db.close()
    expect(rev).toBeGreaterThanOrEqual(acknowledged)
    expect(events).toBe(3 * rev)
    expect(integrity).toBe('ok')
    revision = rev
  }
})

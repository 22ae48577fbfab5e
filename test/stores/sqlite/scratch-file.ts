import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

/** A path for a database in a folder of its own, which goes away with the test. */
export function scratchFile(name = 'test.db'): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'flexharness-sqlite-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return path.join(folder, name)
}

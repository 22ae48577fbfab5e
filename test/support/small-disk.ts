import { execFile } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A file system of its own, in memory, that can be full. */
export interface SmallDisk extends AsyncDisposable {
  readonly folder: string
  /** Leaves no byte free. */
  fill(): void
  makeRoom(): void
}

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Fails where file systems cannot be mounted. `owner` names whose files may be there besides ours. */
export async function smallDisk(mebibytes: number, owner?: Owner): Promise<SmallDisk> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder])
    if (owner) await chown(folder, owner.uid, owner.gid)
  } catch (error) {
    await rm(folder, { recursive: true })
    throw error
  }
  const filler = path.join(folder, 'filler')
  return {
    folder,
    fill: () => fill(filler),
    makeRoom: () => rmSync(filler),
    async [Symbol.asyncDispose]() {
      await run('umount', ['--lazy', folder])
      await rm(folder, { recursive: true })
    },
  }
}

/** Whether this process may mount one; says so on stderr when it may not. */
export async function canHaveSmallDisks(): Promise<boolean> {
  try {
    await using _ = await smallDisk(1)
    return true
  } catch (error) {
    process.emitWarning(`no file system can be mounted, so no disk becomes full (${String(error)})`, 'SKIPPED')
    return false
  }
}

function fill(file: string): void {
  const handle = openSync(file, 'a')
  try {
    for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 2)) while (fits(handle, size)) continue
  } finally {
    closeSync(handle)
  }
}

function fits(handle: number, size: number): boolean {
  try {
    return writeSync(handle, Buffer.alloc(size, 1)) === size
  } catch {
    return false
  }
}

/*
 * Folders known by their real paths, for systems without /proc. Links are refused by looking before and after: a folder is
 * entered only if its real path is the expected one, and a file that was opened must be the one at the real path. Somebody
 * who may write to the workspace and swaps folders for links several times at just the right moments could still lead
 * outside: whoever needs more runs on Linux.
 *
 * Owns nothing.
 */
import type { Stats } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenFolder } from './open-folder.ts'

export const openPathRoot = async (root: string): Promise<OpenFolder> => {
  const folder = await realpath(root)
  if (!(await lstat(folder)).isDirectory()) throw notOurs('ENOTDIR')
  return pathFolder(folder)
}

function pathFolder(folder: string): OpenFolder {
  const pathOf = (name: string): string => join(folder, name)
  const confirm = async (): Promise<void> => {
    if ((await realpath(folder)) !== folder) throw notOurs('ENOTDIR')
  }
  return {
    pathOf,
    confirm,
    async enter(name) {
      const path = pathOf(name)
      if (!(await lstat(path)).isDirectory() || (await realpath(path)) !== path) throw notOurs('ENOTDIR')
      return pathFolder(path)
    },
    async verify(name, opened: Stats) {
      const there = await lstat(pathOf(name))
      if (there.dev !== opened.dev || there.ino !== opened.ino) throw notOurs('ELOOP')
      await confirm()
    },
    sync: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
}

const notOurs = (code: string): Error => Object.assign(new Error('This is not a child of the folder.'), { code })

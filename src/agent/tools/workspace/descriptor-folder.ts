/*
 * Folders held by their descriptors, for Linux. Children are addressed as /proc/self/fd/N/NAME: the system takes the open
 * folder itself, wherever it has been moved meanwhile, and looks up one plain name in it, as openat(2) does. Each step
 * refuses links (O_NOFOLLOW). So there is no time between a check and the use of what was checked, in which somebody could
 * put a link in its place.
 *
 * Owns one descriptor per folder.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import type { OpenFolder } from './open-folder.ts'

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

export const openDescriptorRoot = async (root: string): Promise<OpenFolder> => descriptorFolder(await open(root, FOLDER))

function descriptorFolder(handle: FileHandle): OpenFolder {
  const pathOf = (name: string): string => `/proc/self/fd/${handle.fd}/${name}`
  return {
    pathOf,
    enter: async (name) => descriptorFolder(await open(pathOf(name), FOLDER | constants.O_NOFOLLOW)),
    confirm: async () => undefined,
    verify: async () => undefined,
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

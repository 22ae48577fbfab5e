import type { Dirent } from 'node:fs'
import { opendir } from 'node:fs/promises'
import type { OpenFolder } from './open-folder.ts'

export interface Entry {
  readonly name: string
  readonly type: 'file' | 'folder' | 'link' | 'other'
}

/** The children of a folder by name, at most so many of them: which ones, when there are more, is for the system to say. */
export async function entriesOf(
  folder: OpenFolder,
  most: number,
): Promise<{ readonly entries: readonly Entry[]; readonly isCut: boolean }> {
  const entries: Entry[] = []
  let isCut = false
  for await (const entry of await opendir(folder.pathOf('.'))) {
    isCut = entries.length >= most
    if (isCut) break
    entries.push({ name: entry.name, type: typeOf(entry) })
  }
  await folder.confirm()
  return { entries: entries.toSorted(({ name: one }, { name: other }) => (one < other ? -1 : 1)), isCut }
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'folder'
  return entry.isSymbolicLink() ? 'link' : 'other'
}

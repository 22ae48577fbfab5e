import { lstat } from 'node:fs/promises'
import { type Tool, tool } from 'ai'
import { z } from 'zod'
import { entriesOf, type Entry } from './workspace/entries-of.ts'
import { filesBelow, type Found } from './workspace/files-below.ts'
import type { OpenFolder } from './workspace/open-folder.ts'
import type { Workspace } from './workspace/workspace.ts'
import { workspacePath } from './workspace/workspace-path.ts'

const MAX_ENTRIES = 1_000

interface Listed {
  /** From the workspace's folder. */
  readonly path: string
  readonly type: Entry['type']
  readonly bytes?: number
}

interface Listing {
  readonly entries: readonly Listed[]
  /** There are more. */
  readonly isCut: boolean
}

/** The tool `list_files`: what is in a folder of the workspace, hidden files as well; links are shown, not followed. */
export const listFilesTool = (workspace: Workspace): Tool =>
  tool({
    description:
      'Lists the files and folders in a folder of the workspace, with the sizes of files in bytes. ' +
      `Shows at most ${MAX_ENTRIES} entries.`,
    inputSchema: z.object({
      path: z.string().optional().describe('The folder, such as "src/app"; the whole workspace when omitted'),
      recursive: z.boolean().optional().describe('Also what is in the folders below it'),
    }),
    metadata: { readOnly: true, idempotent: true },
    execute: ({ path = '', recursive = false }, { abortSignal }): Promise<Listing> =>
      workspace.inFolder(path, async (folder) => {
        if (!folder) return { entries: [], isCut: false }
        const prefix = workspacePath(path).join('/')
        return recursive ? everything(folder, prefix, abortSignal) : children(folder, prefix)
      }),
  })

async function children(folder: OpenFolder, prefix: string): Promise<Listing> {
  const { entries, isCut } = await entriesOf(folder, MAX_ENTRIES)
  const found = entries.map((entry) => ({ folder, entry, path: prefix === '' ? entry.name : `${prefix}/${entry.name}` }))
  const listed: Listed[] = []
  for (const each of found) listed.push(await described(each))
  return { entries: listed, isCut }
}

async function everything(folder: OpenFolder, prefix: string, signal: AbortSignal | undefined): Promise<Listing> {
  const entries: Listed[] = []
  let isCut = false
  const onSkip = () => {
    isCut = true
  }
  for await (const found of filesBelow(folder, { prefix, signal, onSkip })) {
    if (entries.length >= MAX_ENTRIES) return { entries, isCut: true }
    entries.push(await described(found))
  }
  return { entries, isCut }
}

async function described({ folder, entry: { name, type }, path }: Found): Promise<Listed> {
  if (type !== 'file') return { path, type }
  // A file that has gone meanwhile was there a moment ago.
  const stats = await lstat(folder.pathOf(name)).catch(() => undefined)
  return { path, type, ...(stats && { bytes: stats.size }) }
}

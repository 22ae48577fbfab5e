import { constants } from 'node:fs'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { type Tool, tool } from 'ai'
import { z } from 'zod'
import { utf8Length } from '../../kernel/text.ts'
import type { Ids } from '../../ports/ids.ts'
import { ToolError } from '../../ports/tool-error.ts'
import type { OpenFolder } from './workspace/open-folder.ts'
import type { Workspace } from './workspace/workspace.ts'

const MAX_BYTES = 1024 * 1024
const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
const PERMISSIONS = 0o777
const OWNER_WRITES = 0o200

interface Written {
  readonly path: string
  readonly bytes: number
  readonly replaced: boolean
}

/**
 * The tool `write_file`. A file has its old content or its new one, whatever happens: the new one is written beside it and
 * renamed. What a crash leaves behind at worst is a hidden file that ends with `.tmp`.
 */
export const writeFileTool = (workspace: Workspace, ids: Ids): Tool =>
  tool({
    description:
      'Writes a text file of the workspace, with the folders that it needs. Replaces all of a file that exists. At most 1 MiB.',
    inputSchema: z.object({
      path: z.string().describe('The file, such as "notes/today.md"'),
      content: z.string().describe('All of its new content'),
    }),
    metadata: { readOnly: false, idempotent: true },
    execute: async ({ path, content }, { abortSignal }): Promise<Written> => {
      if (utf8Length(content) > MAX_BYTES) throw new ToolError('The content is longer than 1 MiB.')
      return workspace.inFolderOfNew(path, async (folder, name) => {
        const before = await fileThere(folder, name, path)
        abortSignal?.throwIfAborted()
        await replace(folder, { name, draft: `.${ids.uuid()}.tmp`, content, mode: before?.mode })
        return { path, bytes: utf8Length(content), replaced: before !== undefined }
      })
    },
  })

/** The file that will be replaced. Only an ordinary one may be, which can be written. */
async function fileThere(folder: OpenFolder, name: string, path: string) {
  const stats = await lstat(folder.pathOf(name)).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (stats && !stats.isFile()) throw new ToolError(`${JSON.stringify(path)} is no ordinary file, and stays as it is.`)
  if (stats && (stats.mode & OWNER_WRITES) === 0) throw new ToolError(`${JSON.stringify(path)} is read-only.`)
  return stats
}

interface Replacement {
  readonly name: string
  readonly draft: string
  readonly content: string
  /** Of the file before. */
  readonly mode: number | undefined
}

async function replace(folder: OpenFolder, replacement: Replacement): Promise<void> {
  const { name, draft } = replacement
  try {
    await write(folder, replacement)
    await rename(folder.pathOf(draft), folder.pathOf(name))
  } catch (error) {
    await rm(folder.pathOf(draft), { force: true })
    throw error
  }
  await folder.sync()
}

async function write(folder: OpenFolder, { draft, content, mode }: Replacement): Promise<void> {
  await using file = await open(folder.pathOf(draft), NEW)
  await folder.verify(draft, await file.stat())
  await file.writeFile(content)
  if (mode !== undefined) await file.chmod(mode & PERMISSIONS)
  await file.sync()
}

/*
 * The files that tools work with: those below one folder. Owns nothing between calls. Every call walks from the root, name
 * by name, and follows no link. What the system says is thrown as a tool error that knows paths of the workspace only.
 */
import { constants, existsSync } from 'node:fs'
import { type FileHandle, lstat, mkdir, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ToolError } from '../../../ports/tool-error.ts'
import { openDescriptorRoot } from './descriptor-folder.ts'
import { fileProblem } from './file-problem.ts'
import type { OpenFolder, OpenRoot } from './open-folder.ts'
import { openPathRoot } from './path-folder.ts'
import { workspacePath } from './workspace-path.ts'

export interface Workspace {
  /** Works with a folder; with undefined in place of a workspace that does not exist yet. */
  inFolder<T>(path: string, work: (folder: OpenFolder | undefined) => Promise<T>): Promise<T>
  /** Works with the folder of a file, and creates it when missing. */
  inFolderOfNew<T>(path: string, work: (folder: OpenFolder, name: string) => Promise<T>): Promise<T>
  /** Works with an ordinary file that is open for reading. */
  inFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T>
}

const systemRoot: OpenRoot = existsSync('/proc/self/fd') ? openDescriptorRoot : openPathRoot

export function workspace(root: string, openRoot: OpenRoot = systemRoot): Workspace {
  const folder = resolve(root)

  const walk = async (names: readonly string[], mode: 'existing' | 'created'): Promise<OpenFolder> => {
    if (mode === 'created') await mkdir(folder, { recursive: true })
    let current = await openRoot(folder)
    for (const name of names) {
      await using left = current
      if (mode === 'created') await created(left, name)
      current = await left.enter(name)
    }
    return current
  }

  return {
    inFolder: (path, work) =>
      explained(path, async () => {
        const names = workspacePath(path)
        if (names.length === 0 && !existsSync(folder)) return work(undefined)
        await using found = await walk(names, 'existing')
        return await work(found)
      }),
    inFolderOfNew: (path, work) =>
      explained(path, async () => {
        const [names, name] = fileNames(path)
        await using found = await walk(names, 'created')
        return await work(found, name)
      }),
    inFile: (path, work) =>
      explained(path, async () => {
        const [names, name] = fileNames(path)
        await using found = await walk(names, 'existing')
        await using file = await openFile(found, name, path)
        return await work(file)
      }),
  }
}

function fileNames(path: string): readonly [folders: readonly string[], name: string] {
  const names = workspacePath(path)
  const name = names.at(-1)
  if (name === undefined) throw new ToolError('The path must name a file of the workspace, such as "notes/today.md".')
  return [names.slice(0, -1), name]
}

async function created(folder: OpenFolder, name: string): Promise<void> {
  try {
    await mkdir(folder.pathOf(name))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Without waiting: a FIFO would, for somebody who writes to it. Absent on some systems. */
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

/** Opens nothing but an ordinary file: to open a device can have consequences. `path` names it in errors. */
export async function openFile(folder: OpenFolder, name: string, path: string): Promise<FileHandle> {
  const system = folder.pathOf(name)
  const refuse = (): never => {
    throw new ToolError(`${JSON.stringify(path)} is no ordinary file.`)
  }
  if (!(await lstat(system)).isFile()) refuse()
  const file = await open(system, READ)
  try {
    const stats = await file.stat()
    if (!stats.isFile()) refuse()
    await folder.verify(name, stats)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw fileProblem(error, path)
  }
}

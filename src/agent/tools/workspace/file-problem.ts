import { ToolError } from '../../../ports/tool-error.ts'

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'does not exist'],
  ['ENOTDIR', 'is not reached by folders: something on its way is a file or a link, and links are not followed'],
  ['ELOOP', 'is a link, and links are not followed'],
  ['EISDIR', 'is a folder'],
  ['EEXIST', 'exists already'],
  ['EACCES', 'may not be accessed'],
  ['EPERM', 'may not be accessed'],
  ['EROFS', 'cannot be changed'],
  ['ENOSPC', 'could not be written: the disk is full'],
  ['EDQUOT', 'could not be written: the disk is full'],
])

/** An error of the file system in words that show nothing but the path within the workspace. Other errors as they are. */
export function fileProblem(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string') || !/^E[A-Z0-9]+$/.test(error.code)) {
    return error
  }
  return new ToolError(`${JSON.stringify(path)} ${reasons.get(error.code) ?? `could not be used (${error.code})`}.`)
}

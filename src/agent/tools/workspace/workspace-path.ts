import { ToolError } from '../../../ports/tool-error.ts'
import { utf8Length } from '../../../kernel/text.ts'

const MAX_PATH_BYTES = 1_024
const MAX_NAME_BYTES = 255
const MAX_LEVELS = 32

const CONTROL = /\p{Cc}/u
const DRIVE = /^[a-z]:/i
/** `..`, and what some systems take for it. */
const ONLY_DOTS_AND_BLANKS = /^[. ]+$/

/**
 * The names that lead from the workspace's folder to a file, none for the folder itself. Each is the plain name of a child,
 * so that nothing but a link can lead outside. Throws a tool error for any other path.
 */
export function workspacePath(path: string): readonly string[] {
  const refuse = (why: string): never => {
    throw new ToolError(`${shown(path)} is no path of the workspace: ${why}.`)
  }
  if (utf8Length(path) > MAX_PATH_BYTES) refuse(`it is longer than ${MAX_PATH_BYTES} bytes`)
  if (CONTROL.test(path) || !path.isWellFormed()) refuse('it has control characters or broken ones')
  if (path.includes('\\')) refuse('folders are separated by "/"')
  if (path.startsWith('/')) refuse('it must be relative to the folder of the workspace, such as "notes/today.md"')
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.length > MAX_LEVELS) refuse(`it is more than ${MAX_LEVELS} levels deep`)
  for (const name of names) {
    if (ONLY_DOTS_AND_BLANKS.test(name)) refuse(`it must not contain ${JSON.stringify(name)}`)
    if (DRIVE.test(name)) refuse('it must not name a drive')
    if (utf8Length(name) > MAX_NAME_BYTES) refuse(`a name has at most ${MAX_NAME_BYTES} bytes`)
  }
  return names
}

const MAX_SHOWN = 100

const shown = (path: string): string => JSON.stringify(path.length > MAX_SHOWN ? `${path.slice(0, MAX_SHOWN)}…` : path)

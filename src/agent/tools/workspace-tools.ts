import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import { listFilesTool } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { searchFilesTool } from './search-files.ts'
import type { OpenRoot } from './workspace/open-folder.ts'
import { workspace } from './workspace/workspace.ts'
import { writeFileTool } from './write-file.ts'

export interface WorkspaceToolsOptions {
  /** The folder that the tools work below, and do not leave. Created with the first file that is written. */
  readonly root: string
  readonly clock: Clock
  readonly ids: Ids
  /** How folders are held; what is best on this system when omitted. */
  readonly openRoot?: OpenRoot
}

/** Tools of the `ai` package over the files of one folder. What they throw may be shown to models and clients. */
export function workspaceTools({ root, clock, ids, openRoot }: WorkspaceToolsOptions) {
  const files = workspace(root, openRoot)
  return {
    list_files: listFilesTool(files),
    read_file: readFileTool(files),
    search_files: searchFilesTool(files, clock),
    write_file: writeFileTool(files, ids),
  }
}

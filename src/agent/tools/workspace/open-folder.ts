import type { Stats } from 'node:fs'

/** A folder of the workspace that is in use. It is let go of by disposing of it. */
export interface OpenFolder extends AsyncDisposable {
  /** How the system is told about a child, which is given by a plain name. */
  pathOf(name: string): string
  /** The folder of that name. Follows no link: rejects with the system's error when it is not a folder of this one. */
  enter(name: string): Promise<OpenFolder>
  /** Rejects when what its paths lead to is no longer this folder. */
  confirm(): Promise<void>
  /** Rejects when the file that was opened under a child's path is not the child. */
  verify(name: string, opened: Stats): Promise<void>
  /** Makes durable which children it has, as far as the system can. */
  sync(): Promise<void>
}

/** Opens the workspace's own folder, which may be behind a link: that is for its owner to decide. */
export type OpenRoot = (root: string) => Promise<OpenFolder>

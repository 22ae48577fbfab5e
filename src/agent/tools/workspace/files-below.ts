import { fileProblem } from './file-problem.ts'
import { entriesOf, type Entry } from './entries-of.ts'
import type { OpenFolder } from './open-folder.ts'

const MAX_LEVELS = 32
/** Of one folder; of a larger one only so many are seen. */
const MAX_CHILDREN = 10_000

export interface Found {
  readonly folder: OpenFolder
  readonly entry: Entry
  /** From the workspace's folder. */
  readonly path: string
}

export interface Walk {
  /** Of the folder that the walk begins with; empty for the workspace itself. */
  readonly prefix: string
  readonly signal: AbortSignal | undefined
  /** Told when something that is there is not walked. */
  readonly onSkip: () => void
}

/**
 * Everything below a folder, each folder before what is in it, by name. Follows no link. A folder that cannot be entered,
 * or has gone meanwhile, is passed by. What is found may be used until the next is asked for.
 */
export async function* filesBelow(folder: OpenFolder, walk: Walk): AsyncGenerator<Found> {
  yield* below(folder, { ...walk, level: 1 })
}

async function* below(folder: OpenFolder, walk: Walk & { readonly level: number }): AsyncGenerator<Found> {
  const { entries, isCut } = await entriesOf(folder, MAX_CHILDREN)
  if (isCut) walk.onSkip()
  for (const entry of entries) {
    walk.signal?.throwIfAborted()
    const path = walk.prefix === '' ? entry.name : `${walk.prefix}/${entry.name}`
    yield { folder, entry, path }
    if (entry.type !== 'folder') continue
    const inner = walk.level < MAX_LEVELS ? await entered(folder, entry.name) : undefined
    if (!inner) {
      walk.onSkip()
      continue
    }
    await using opened = inner
    yield* below(opened, { ...walk, prefix: path, level: walk.level + 1 })
  }
}

async function entered(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  try {
    return await folder.enter(name)
  } catch (error) {
    if (fileProblem(error, name) === error) throw error
    return undefined
  }
}

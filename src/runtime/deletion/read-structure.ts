import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { Subtree } from '../../domain/deletion/group.ts'
import type { Member, Tombstone } from '../../domain/deletion/tombstone.ts'
import type { StructureStore } from '../../ports/stores/structure.ts'

const PAGE = 2000

/**
 * A live subtree and the tombstones in it; undefined when its top does not live. Its top is read first: whatever is created
 * or reserved below it afterwards raises its `changes`, so a reservation of a subtree that was read in between misses.
 */
export async function readSubtree(
  structure: StructureStore,
  scopeKey: ScopeKey,
  key: SessionKey,
): Promise<Subtree | undefined> {
  const top = await structure.top(key)
  if (!top) return undefined
  const { path } = top
  const members = await all((after) => structure.members({ scopeKey, path, limit: PAGE, ...after }))
  const living = new Set(members.map((member) => member.key))
  // Who died in between is told once, as he was found first.
  const tombstones = (await tombstonesAt(structure, scopeKey, path)).filter((tombstone) => !living.has(tombstone.key))
  return { top, members, tombstones }
}

/** The tombstones at a path and below it, by path. */
export const tombstonesAt = (
  structure: StructureStore,
  scopeKey: ScopeKey,
  path: string,
): Promise<readonly Tombstone[]> => all((after) => structure.tombstones({ scopeKey, path, limit: PAGE, ...after }))

/** The tombstones of a group, its top first. */
export const readGroup = (structure: StructureStore, group: SessionKey): Promise<readonly Tombstone[]> =>
  all((after) => structure.group({ group, limit: PAGE, ...after }))

async function all<T extends Member>(
  page: (after: { readonly after?: string }) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const found: T[] = []
  for (;;) {
    const last = found.at(-1)
    const rows = await page(last ? { after: last.path } : {})
    found.push(...rows)
    if (rows.length < PAGE) return found
  }
}

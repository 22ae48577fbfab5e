import { pathBelow, sequencesOf } from '../../domain/session/session.ts'

/**
 * The first path behind all that begin with this one: that of the next sibling. Between them lies the subtree, by an
 * index whatever the collation, as paths are digits alone and in steps of one length.
 */
export function pathBehind(path: string): string {
  const last = sequencesOf(path).at(-1) ?? 0
  return pathBelow(path.slice(0, path.length - pathBelow('', 0).length), last + 1)
}

import type { Member } from './tombstone.ts'

type Placed = Pick<Member, 'path' | 'sessionId'>

/** The deepest first, so that no session is left without its parent; ties by id. */
export const childrenFirst = <T extends Placed>(members: readonly T[]): readonly T[] => members.toSorted(byDepth)

const byDepth = (a: Placed, b: Placed): number => b.path.length - a.path.length || compared(a.sessionId, b.sessionId)

const compared = (a: string, b: string): number => Number(a > b) - Number(a < b)

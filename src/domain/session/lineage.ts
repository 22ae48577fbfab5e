import type { Session } from './session.ts'

export type Lineal = Pick<Session, 'key' | 'place'>

/** Why a session does not fit into its tree; `line` is what is stored from the root down to the session itself, in any order. */
export function whyDamaged({ key, place }: Lineal, line: readonly Lineal[]): string | undefined {
  const above = line.filter((other) => other.key !== key).toSorted((a, b) => a.place.depth - b.place.depth)
  if (above.length !== place.depth) return 'a session above it is not there'
  const rootKey = above[0]?.key ?? key
  const isChain = [...above, { key, place }].every(
    (member, depth, all) =>
      member.place.depth === depth &&
      member.place.parentKey === (all[depth - 1]?.key ?? null) &&
      member.place.rootKey === rootKey,
  )
  if (!isChain) return 'it and the sessions above it do not follow each other'
  return (place.origin === null) === (place.parentKey === null) ? undefined : 'it does not say which call has created it'
}

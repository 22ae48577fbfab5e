/** Choices that follow from a seed alone. */
export interface Random {
  /** An integer from 0 to `below - 1`. */
  below(below: number): number
  /** True in `percent` of a hundred cases. */
  chance(percent: number): boolean
  pick<T>(items: readonly T[]): T
  /** One of the keys, each as often as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K
  /** Another stream of choices, so that what one part draws does not move what another one draws. */
  fork(name: string): Random
}

/** FNV-1a, to turn a name into a seed. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  return hash >>> 0
}

/** Mulberry32: small, fast, and good enough to choose among commands and faults. */
export function random(seed: string): Random {
  let state = hashOf(seed)
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    chance: (percent) => next() * 100 < percent,
    pick: (items) => items[below(items.length)]!,
    weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
      const entries = Object.entries<number>(weights) as [K, number][]
      let left = below(entries.reduce((sum, [, weight]) => sum + weight, 0))
      return entries.find(([, weight]) => (left -= weight) < 0)![0]
    },
    fork: (name) => random(`${seed}/${name}`),
  }
}

import { expect } from 'vitest'
import { addUsage } from '../../src/domain/run/usage.ts'
import { isWithin } from '../../src/domain/session/session.ts'
import type { ScopeKey } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'

/** Stores that make sure, after each commit, that every session shows exactly what is below it. */
export function withRollUpsChecked(stores: Stores) {
  let checked = 0
  const check = async (scopeKey: ScopeKey): Promise<void> => {
    const sessions = await stores.sessions.page({ scopeKey, filter: {}, limit: 1_000 })
    for (const { place, usage, tree } of sessions) {
      const below = sessions.filter((other) => other.place !== place && isWithin(place.path, other.place.path))
      expect(tree).toEqual({
        usage: below.map((session) => session.usage).reduce(addUsage, usage),
        descendants: below.length,
      })
    }
    checked++
  }
  const { unit } = stores
  const checking: Stores = {
    ...stores,
    unit: {
      outcomeOf: unit.outcomeOf.bind(unit),
      forget: unit.forget.bind(unit),
      commit: async (writeId, changes) => {
        const result = await unit.commit(writeId, changes)
        for (const { scopeKey } of changes) await check(scopeKey)
        return result
      },
    },
  }
  return { stores: checking, checks: () => checked }
}

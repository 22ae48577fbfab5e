import { expect, test } from 'vitest'
import { LawBroken } from './law-broken.ts'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'
import { simulate } from './simulate.ts'
import { toolMutants } from './tool-mutants.ts'

/** More than twice as many as the rarest of them needs. */
const SEEDS = 150

/** What the simulation finds out about a mutant; nothing when it does not. */
async function found(make: () => Mutant): Promise<unknown> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { broken } = await simulate(seed, make())
    if (broken !== undefined) return broken
  }
  return undefined
}

const crimes = [...mutants, ...toolMutants].map((make) => [make().crime, make] as const)

test.each(crimes)('a harness that %s is found out', { timeout: 120_000 }, async (_, make) => {
  expect(await found(make)).toBeInstanceOf(LawBroken)
})

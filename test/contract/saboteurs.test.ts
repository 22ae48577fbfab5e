import { describe, expect, test } from 'vitest'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { ContractCase } from './support/contract-suite.ts'
import { saboteurs } from './support/saboteurs.ts'
import { contractSuites } from './suites/contract-suites.ts'

const cases = contractSuites.flatMap((suite) => suite.cases)
const lawsOf = ({ name }: ContractCase): readonly string[] =>
  name.match(/^[A-Z]\d+(?:, [A-Z]\d+)*/)?.[0].split(', ') ?? []

/** The cases of the law that fail against these stores. */
async function failuresOf(law: string, stores: Stores): Promise<readonly string[]> {
  const failed: string[] = []
  for (const one of cases.filter((candidate) => lawsOf(candidate).includes(law))) {
    try {
      await one.run(stores)
    } catch {
      failed.push(one.name)
    }
  }
  return failed
}

const honest = () => memoryStores({ clock: systemClock, isShared: true })

describe('saboteurs', () => {
  const rows = saboteurs.map(({ law, crime, sabotage }) => [law, crime, sabotage] as const)
  test.each(rows)('%s is broken by a store that %s, and its cases notice', async (law, _, sabotage) => {
    expect(await failuresOf(law, honest())).toEqual([])
    expect(await failuresOf(law, sabotage(honest()))).not.toEqual([])
  })

  test('every law of the contract has a saboteur', () => {
    const laws = new Set(cases.flatMap(lawsOf))
    expect(new Set(saboteurs.map(({ law }) => law))).toEqual(laws)
  })
})

import type { Stores } from '../../../src/ports/stores/stores.ts'
import { openWorld, type World } from './world.ts'

/** One thing that every store must do. Fails by throwing. */
export interface ContractCase {
  readonly name: string
  /** Works in a scope of its own, so that one database serves all cases. */
  readonly run: (stores: Stores) => Promise<void>
}

export interface ContractSuite {
  readonly name: string
  readonly cases: readonly ContractCase[]
}

/** Collects a case. Named and called as a test, as it becomes one for every store. */
export type Test = (name: string, run: (world: World) => Promise<void>) => void

/** The cases that `define` collects: to be run as tests of a store, or by hand. */
export function contractSuite(name: string, define: (test: Test) => void): ContractSuite {
  const cases: ContractCase[] = []
  define((title, run) => cases.push({ name: title, run: async (stores) => run(await openWorld(stores)) }))
  return { name, cases }
}

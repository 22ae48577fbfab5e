import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Stores } from '../../../src/ports/stores/stores.ts'
import { contractSuites } from '../suites/contract-suites.ts'

export interface OpenStores {
  readonly stores: Stores
  /** Closes them and removes what they leave. */
  readonly dispose: () => Promise<void>
}

/** Runs the whole contract against the stores that `open` opens once. */
export function describeContract(open: () => Promise<OpenStores>): void {
  let opened: OpenStores
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(async () => {
    await opened.dispose()
  })
  for (const suite of contractSuites) {
    describe(`the contract of ${suite.name}`, () => {
      const cases = suite.cases.map(({ name, run }) => [name, run] as const)
      test.each(cases)('%s', (_, assertHolds) => assertHolds(opened.stores))
    })
  }
}

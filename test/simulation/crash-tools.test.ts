import { expect, test } from 'vitest'
import { oneDeath } from './one-death.ts'
import type { WorldKind } from './simulated-process.ts'
import type { Doom } from './weather.ts'

const kinds: readonly (readonly [string, WorldKind, readonly Doom['fault'][]])[] = [
  ['under RESUME', { hasTools: true, isShared: false, recovery: 'RESUME' }, ['crashBefore', 'crashAfter']],
  ['under FAIL', { hasTools: true, isShared: false, recovery: 'FAIL' }, ['crashBefore', 'crashAfter']],
  ['beside another process', { hasTools: true, isShared: true, recovery: 'RESUME' }, ['crashBefore', 'crashAfter', 'suspended']],
]
const SEEDS = 2

test.each(kinds)('R60, R63, R68, X1: %s a process may die or be suspended at any commit of a conversation with tools', { timeout: 120_000 }, async (_, kind, faults) => {
  let executions = 0
  let resumptions = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const whole = await oneDeath({ seed, kind })
    for (let at = 1; at <= whole.commits; at++) {
      for (const fault of faults) {
        const after = await oneDeath({ seed, kind, doom: { at, fault } }).catch((error: unknown) => {
          throw new Error(`It died at the commit ${at} of the seed ${seed}, ${fault}.`, { cause: error })
        })
        executions += after.executions
        resumptions += after.resumptions
      }
    }
  }
  expect(executions).toBeGreaterThan(50)
  expect(resumptions > 20).toBe(kind.recovery === 'RESUME')
})

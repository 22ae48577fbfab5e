import { expect, test } from 'vitest'
import { oneDeath } from './one-death.ts'
import type { WorldKind } from './simulated-process.ts'
import type { Doom } from './weather.ts'

const killed = ['crashBefore', 'crashAfter', 'crashZombie'] as const

const kinds: readonly (readonly [string, WorldKind, readonly Doom['fault'][]])[] = [
  ['under RESUME', { hasTools: true, isShared: false, recovery: 'RESUME' }, killed],
  ['under FAIL', { hasTools: true, isShared: false, recovery: 'FAIL' }, killed],
  ['beside another process', { hasTools: true, isShared: true, recovery: 'RESUME' }, [...killed, 'suspended']],
]
/** Conversations: `DEATH_SEEDS=30` looks for what is rare. */
const SEEDS = Number(process.env['DEATH_SEEDS'] ?? 2)

test.each(kinds)('R60, R63, R68, X1: %s a process may die or be suspended at any commit of a conversation with tools', { timeout: 60_000 * SEEDS }, async (_, kind, faults) => {
  let deaths = 0
  let executions = 0
  let resumptions = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const whole = await oneDeath({ seed, kind })
    for (let at = 1; at <= whole.commits; at++) {
      for (const fault of faults) {
        const after = await oneDeath({ seed, kind, doom: { at, fault } }).catch((error: unknown) => {
          throw new Error(`It died at the commit ${at} of the seed ${seed}, ${fault}.`, { cause: error })
        })
        deaths++
        executions += after.executions
        resumptions += after.resumptions
      }
    }
  }
  expect(deaths).toBeGreaterThan(100)
  expect(executions).toBeGreaterThan(deaths / 2)
  expect(resumptions > 20).toBe(kind.recovery === 'RESUME')
})

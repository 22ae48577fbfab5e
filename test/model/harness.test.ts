import fc from 'fast-check'
import { test } from 'vitest'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { anyCommand } from './commands.ts'
import { perform } from './perform.ts'

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60)

test('Q41, Q42, Q44, Q45, R45, R48: any sequence of commands leaves sessions as a small reference model says', async () => {
  const property = fc.asyncProperty(fc.commands([anyCommand], { maxCommands: 40, size: 'max' }), async (commands) => {
    await perform(commands, memoryStores({ clock: systemClock }), 'model')
  })
  await fc.assert(property, { numRuns: RUNS })
})

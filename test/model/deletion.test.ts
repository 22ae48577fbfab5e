import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { Forest, type Deed, ids } from './forest.ts'

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60)

const anyId = fc.constantFrom(...ids)

const on = fc.nat(99)
const deed = <Type extends Deed['type']>(type: Type) => fc.constant(type)

const anyDeed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ type: deed('create'), id: anyId }) },
  { weight: 9, arbitrary: fc.record({ type: deed('bear'), id: anyId, on }) },
  {
    weight: 7,
    arbitrary: fc.record({ type: deed('prompt'), on, what: fc.constantFrom('answer', 'ask', 'ask', 'stream') }),
  },
  { weight: 2, arbitrary: fc.record({ type: deed('respond') }) },
  { weight: 1, arbitrary: fc.record({ type: deed('abort'), on }) },
  { weight: 3, arbitrary: fc.record({ type: deed('delete'), on }) },
  { weight: 2, arbitrary: fc.record({ type: deed('deleteCohort'), on }) },
  { weight: 1, arbitrary: fc.record({ type: deed('stick') }) },
)

/** What happens at the same time, again and again. */
const anyStory = fc.record({
  seed: fc.nat(),
  rounds: fc.array(fc.array(anyDeed, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 10, size: 'max' }),
})

let scopes = 0

const holds = (open: () => Stores) =>
  fc.asyncProperty(anyStory, async ({ seed, rounds }) => {
    const forest = await Forest.planted(open(), { seed, storageKey: `forest ${(scopes += 1)}` })
    for (const deeds of rounds) {
      await forest.atOnce(deeds)
      await forest.expectClean()
    }
    await forest.expectFelled()
  })

test(
  'D30: whatever happens at the same time as deletions, each session is there with all it is, or gone with all it was',
  { timeout: 60_000 + RUNS * 1_000 },
  async () => {
    await fc.assert(
      holds(() => memoryStores({ clock: systemClock })),
      { numRuns: RUNS },
    )
  },
)

test('D30: on SQLite as well', { timeout: 120_000 + RUNS * 2_000 }, async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'flexharness-forest-'))
  const stores = await prismaStores({ url: `file:${path.join(folder, 'forest.db')}` })
  try {
    await fc.assert(
      holds(() => stores),
      { numRuns: Math.ceil(RUNS / 10) },
    )
  } finally {
    await stores.close()
    await rm(folder, { recursive: true, force: true })
  }
  expect(scopes).toBeGreaterThan(RUNS)
})

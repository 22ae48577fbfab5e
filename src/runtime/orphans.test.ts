import { expect, test } from 'vitest'
import { asSessionKey, type ScopeKey } from '../kernel/ids.ts'
import { Orphans } from './orphans.ts'

const [here, there] = [1 as ScopeKey, 2 as ScopeKey]

/** Something whose release a test decides about, and how often it was tried. */
function thing(orphans: Orphans, { scopeKey = here, session = 1 } = {}) {
  const tries: PromiseWithResolvers<void>[] = []
  const release = () => {
    const attempt = Promise.withResolvers<void>()
    tries.push(attempt)
    return attempt.promise
  }
  orphans.add({ scopeKey, sessionKey: asSessionKey(session), what: 'a lease', release })
  return tries
}

test('S12: what could not be released stays until it is, and is released once', async () => {
  const orphans = new Orphans()
  const tries = thing(orphans)
  const first = orphans.release()
  tries[0]?.reject(new Error('busy'))
  expect(await first).toMatchObject([{ message: 'Could not release a lease.', cause: { message: 'busy' } }])
  expect(orphans.size).toBe(1)
  const second = orphans.release()
  tries[1]?.resolve()
  expect(await second).toEqual([])
  expect(await orphans.release()).toEqual([])
  expect([orphans.size, tries.length]).toEqual([0, 2])
})

test('S12: tries at the same time share an attempt', async () => {
  const orphans = new Orphans()
  const tries = thing(orphans)
  const both = [orphans.release(), orphans.release({ scopeKey: here })]
  tries[0]?.reject(new Error('busy'))
  expect((await Promise.all(both)).map(({ length }) => length)).toEqual([1, 1])
  expect(tries).toHaveLength(1)
})

test('S12: one that throws at once is kept like any other', async () => {
  const orphans = new Orphans()
  let tries = 0
  const release = () => {
    tries += 1
    throw new Error('at once')
  }
  orphans.add({ scopeKey: here, sessionKey: asSessionKey(1), what: 'a handle', release })
  expect(await orphans.release()).toMatchObject([{ message: 'Could not release a handle.' }])
  expect(await orphans.release()).toHaveLength(1)
  expect(tries).toBe(2)
})

test('S12: only what belongs to the scope or the session is tried, and one that fails does not keep the others', async () => {
  const orphans = new Orphans()
  const [mine, sibling, foreign] = [
    thing(orphans),
    thing(orphans, { session: 2 }),
    thing(orphans, { scopeKey: there, session: 3 }),
  ]
  const tried = () => [mine.length, sibling.length, foreign.length]
  const bySession = orphans.release({ sessionKey: asSessionKey(2) })
  expect(tried()).toEqual([0, 1, 0])
  sibling[0]?.reject(new Error('busy'))
  await bySession
  const byScope = orphans.release({ scopeKey: here })
  expect(tried()).toEqual([1, 2, 0])
  mine[0]?.resolve()
  sibling[1]?.reject(new Error('busy'))
  expect(await byScope).toHaveLength(1)
  expect(orphans.size).toBe(2)
})

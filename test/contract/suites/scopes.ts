import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { ScopeKey, StorageKey } from '../../../src/kernel/ids.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { newScope, NOW } from '../support/world.ts'

const newStorageKey = () => randomUUID() as StorageKey

export const scopesSuite = contractSuite('scopes', (test) => {
  test('stores that are open are ready', async ({ stores }) => {
    expect(await stores.isReady()).toBe(true)
    expect(['database', 'scope']).toContain(stores.serialises)
  })

  test('C13: a scope that was never ensured does not exist', async ({ stores }) => {
    expect(await stores.scopes.find(newStorageKey())).toBeUndefined()
  })

  test('C13: ensuring creates an empty scope, once', async ({ stores }) => {
    const storageKey = newStorageKey()
    const created = await stores.scopes.ensure(storageKey, NOW)
    expect(created).toEqual({ key: created.key, storageKey, revision: 0, sequence: 0, floor: 0, createdAt: NOW })
    expect(await stores.scopes.ensure(storageKey, NOW + 5)).toEqual(created)
    expect(await stores.scopes.find(storageKey)).toEqual(created)
  })

  test('C13: of ensurings at the same time all get the same scope', async ({ stores }) => {
    const storageKey = newStorageKey()
    const scopes = await Promise.all(Array.from({ length: 10 }, (_, i) => stores.scopes.ensure(storageKey, NOW + i)))
    expect(new Set(scopes.map((scope) => JSON.stringify(scope))).size).toBe(1)
    expect(await stores.scopes.find(storageKey)).toEqual(scopes[0])
  })

  test('C13: storage keys that differ in case, accents or spaces name different scopes', async ({ stores }) => {
    const base = randomUUID()
    const names = [`${base} key`, `${base} KEY`, `${base} key `, `${base}  key`, `${base} kéy`, `${base} ke\u0301y`]
    const scopes = await Promise.all(names.map((name) => stores.scopes.ensure(name as StorageKey, NOW)))
    expect(new Set(scopes.map(({ key }) => key)).size).toBe(names.length)
    expect(scopes.map(({ storageKey }) => storageKey)).toEqual(names)
  })

  test('C13: finding many leaves out those that do not exist', async ({ stores, scope }) => {
    const other = await newScope(stores)
    const found = await stores.scopes.findMany([other.key, 4_000_000_000 as ScopeKey, scope.key])
    expect(found.toSorted((a, b) => a.key - b.key)).toEqual([scope, other])
    expect(await stores.scopes.findMany([])).toEqual([])
    const names = [other.storageKey, newStorageKey(), '\0' as StorageKey, scope.storageKey, other.storageKey]
    const named = await stores.scopes.findNamed(names)
    expect(named.toSorted((a, b) => a.key - b.key)).toEqual([scope, other])
    expect(await stores.scopes.findNamed([])).toEqual([])
  })

  test('C13: pages list every scope once, by key', async ({ stores, scope }) => {
    const mine = [scope, await newScope(stores), await newScope(stores), await newScope(stores)]
    const from = (scope.key - 1) as ScopeKey
    const seen: ScopeKey[] = []
    for (let after = from; seen.length < 1000;) {
      const page = await stores.scopes.page(after, 3)
      expect(page.length).toBeLessThanOrEqual(3)
      seen.push(...page.map(({ key }) => key))
      const last = page.at(-1)
      if (!last) break
      after = last.key
    }
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    expect(seen).toEqual(expect.arrayContaining(mine.map(({ key }) => key)))
    expect(new Set(seen).size).toBe(seen.length)
    expect(await stores.scopes.page(undefined, 1)).toHaveLength(1)
  })

  test('C13: pages of named scopes list those alone, in the order of all', async ({ stores }) => {
    const mark = randomUUID()
    const names = ['a', 'b/1', 'b/%', 'B/2', 'b/2', 'b_', 'c', 'b/é'].map((name) => `${mark} ${name}` as StorageKey)
    for (const name of names) await stores.scopes.ensure(name, NOW)
    const named = async (exact: readonly string[], beginnings: readonly string[], limit = 100) => {
      const full = (texts: readonly string[]) => texts.map((text) => `${mark} ${text}`)
      const page = await stores.scopes.page(undefined, limit, { exact: full(exact), beginnings: full(beginnings) })
      return page.map(({ storageKey }) => storageKey.slice(mark.length + 1))
    }
    expect(await named(['c', 'a', 'missing'], [])).toEqual(['a', 'c'])
    expect(await named([], ['b/'])).toEqual(['b/1', 'b/%', 'b/2', 'b/é'])
    expect(await named(['c', 'b/1'], ['b/', 'b/é', 'B'])).toEqual(['b/1', 'b/%', 'B/2', 'b/2', 'c', 'b/é'])
    expect(await named(['c'], ['b/'], 2)).toEqual(['b/1', 'b/%'])
    expect(await named([], ['b/%'])).toEqual(['b/%'])
    expect(await named([], ['b_'])).toEqual(['b_'])
    expect(await named([], [''])).toHaveLength(names.length)
    expect(await named([], [])).toEqual([])
    expect(await named(['nul\0'], ['b/\0'])).toEqual([])
    const [first] = await stores.scopes.page(undefined, 1, { exact: [`${mark} b/1`], beginnings: [] })
    const rest = await stores.scopes.page(first?.key, 9, { exact: [], beginnings: [`${mark} b/`] })
    expect(rest.map(({ storageKey }) => storageKey.slice(mark.length + 1))).toEqual(['b/%', 'b/2', 'b/é'])
  })
})

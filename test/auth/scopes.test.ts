import { expect, test } from 'vitest'
import type { Principal } from '../../src/domain/access/principal.ts'
import { asScopeId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { Api, at, nodesOf } from '../graphql/api.ts'
import { countingStores } from '../graphql/counting-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, tester, World } from '../support/world.ts'

const scopesOf = async (...ids: readonly string[]) => {
  const world = await World.started()
  for (const id of ids) ok(await world.harness.createSession({ scopeId: asScopeId(id) }, caller))
  return world
}

const page = `query ($first: Int, $after: String) { scopes(first: $first, after: $after) {
  edges { cursor node { scopeId } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
} }`

/** Every page of the list, as it came. */
async function pagesOf(api: Api, first: number): Promise<readonly unknown[]> {
  const pages: unknown[] = []
  for (let after: unknown = null, goesOn: unknown = true; goesOn; ) {
    const { scopes } = await api.data(page, { first, after })
    pages.push(scopes)
    after = at(scopes, 'pageInfo', 'endCursor')
    goesOn = at(scopes, 'pageInfo', 'hasNextPage')
  }
  return pages
}

const some: Principal = { ...tester, scopes: ['one', 'acme/*'] }
const mine = ['acme/1', 'one', 'acme/2', 'acme/3', 'acme/4']
const mixed = ['x', 'acme/1', 'acme', 'one', 'y', 'one/2', 'z', 'acme/2', 'acme/3', 'Acme/9', 'acme/4', 'w', 'v']

test.each([1, 2, 3, 5, 6, 200])(
  'A43: pages of %i scopes are those of a database in which there are no others, to the last byte',
  async (first) => {
    const [alone, among] = [await scopesOf(...mine), await scopesOf(...mixed)]
    const expected = await pagesOf(new Api(alone.harness, some), first)
    expect(await pagesOf(new Api(among.harness, some), first)).toEqual(expected)
    expect(expected.flatMap(nodesOf).map(({ scopeId }) => scopeId)).toEqual(mine)
    expect(expected).toHaveLength(Math.ceil(mine.length / first))
  },
)

test('A43: a principal without any scope in which something is stored has an empty list', async () => {
  const world = await scopesOf(...mixed)
  const nobody: Principal = { ...tester, scopes: ['elsewhere', 'nowhere/*'] }
  expect(await pagesOf(new Api(world.harness, nobody), 2)).toEqual([
    { edges: [], pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null } },
  ])
})

test('A43: a cursor tells no more than the id of the scope before it', async () => {
  const world = await scopesOf(...mixed)
  const [first] = await pagesOf(new Api(world.harness, some), 1)
  const cursor = Buffer.from(String(at(first, 'pageInfo', 'endCursor')), 'base64url').toString()
  expect(JSON.parse(cursor)).toEqual(['scopes', 'acme/1'])
})

test('A43: however many other scopes there are, a page costs the same reads', async () => {
  const readsBeside = async (others: number) => {
    const clock = virtualClock()
    const counting = countingStores(memoryStores({ clock }))
    const world = await World.started({ clock, stores: counting.stores })
    for (const id of [...Array.from({ length: others }, (_, i) => `other/${i}`), ...mine]) {
      ok(await world.harness.createSession({ scopeId: asScopeId(id) }, caller))
    }
    counting.reset()
    expect(await pagesOf(new Api(world.harness, some), 2)).toHaveLength(3)
    return Object.fromEntries(counting.reads)
  }
  const alone = await readsBeside(0)
  expect(await readsBeside(300)).toEqual(alone)
  expect(alone).toMatchObject({ 'scopes.page': 3 })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { databaseKinds, type Scratch } from '../stores/prisma/scratch.ts'
import { World } from '../support/world.ts'
import { Api, at, type Data, nodesOf } from './api.ts'
import { plant } from './planted.ts'

/** Levels of `children`, each with what is shown of every session. */
const levels = (depth: number, shown = 'sessionId'): string =>
  depth === 0 ? shown : `${shown} children(first: 3) { edges { node { ${levels(depth - 1, shown)} } } }`

const of = (session: string, selected: string) => `{ session(scopeId: "default", sessionId: "${session}") { ${selected} } }`

const flat = (args: string, shown = 'sessionId') => `descendants(${args}) { edges { node { ${shown} } } }`

const up = 'parent { sessionId } root { sessionId } ancestors { sessionId depth }'
const sums = 'treeStatus treeUsage { totalTokens } descendantCount'

/** The statements that find the scope and the session are two of each. */
const costs: readonly (readonly [what: string, source: string, statements: number])[] = [
  ['one level', of('root', levels(1)), 3],
  ['four levels', of('root', levels(4)), 6],
  ['eight levels', of('root', levels(8)), 10],
  ['eight levels of which each session shows what is above it', of('root', levels(8, up)), 10],
  ['eight levels with what is rolled up, each level by one more', of('root', levels(8, sums)), 19],
  ['four levels twice, once with other arguments', of('root', `${levels(4)} again: ${levels(4).replace('3', '2').slice(10)}`), 6],
  ['the same four levels twice', of('root', `${levels(4)} again: ${levels(4).slice(10)}`), 6],
  ['all below, flat', of('root', flat('first: 200')), 3],
  ['one level of it, flat', of('root', flat('first: 200, maxDepth: 1')), 3],
  ['a narrow branch, flat', of('deep1', flat('first: 200')), 3],
  ['all below, flat, of which each session shows what is above it', of('root', flat('first: 200', up)), 3],
  ['a page in the middle, of which each session shows what is above it', of('root', flat('first: 9, after: "HERE"', up)), 4],
  ['what is above the deepest one', of('deep8', up), 3],
]

describe.each(databaseKinds)('on $name', ({ missing, scratch: open }) => {
  describe.skipIf(missing)('a tree', () => {
    const statements: string[] = []
    let scratch: Scratch
    let stores: Stores
    let api: Api

    /** A root with 60 children, of which ten have ten each, and a branch of eight levels. */
    beforeAll(async () => {
      scratch = await open()
      stores = await scratch.stores((sql) => statements.push(sql))
      const world = await World.started({ stores })
      api = new Api(world.harness)
      await world.session('root')
      const root = await world.load('root')
      const child = (parent: StoredSession, id: string) => plant(stores, { parent, id, at: world.clock.now() })
      for (let i = 0; i < 60; i++) {
        const parent = await child(root, `wide${i}`)
        for (let j = 0; i < 10 && j < 10; j++) await child(parent, `wide${i}-${j}`)
      }
      let parent = root
      for (let depth = 1; depth <= 8; depth++) parent = await child(parent, `deep${depth}`)
    }, 120_000)

    afterAll(() => scratch[Symbol.asyncDispose]())

    const asked = async (source: string) => {
      const page = await api.data(of('root', 'descendants(first: 50) { edges { node { sessionId } } pageInfo { endCursor } }'))
      const here = String(at(page, 'session', 'descendants', 'pageInfo', 'endCursor'))
      statements.length = 0
      const data = await api.data(source.replace('HERE', here))
      return { data, statements: statements.map((sql) => sql.replaceAll(/\s+/g, ' ').slice(0, 120)) }
    }

    test.each(costs)('A94: %s', async (_, source, most) => {
      expect((await asked(source)).statements).toHaveLength(most)
    })

    test('A94: a page asks the database for no more than it shows, and one more', async () => {
      for (const list of ['children(first: 3)', 'descendants(first: 3)', 'descendants(first: 3, maxDepth: 1)']) {
        statements.length = 0
        const data = await api.data(of('root', `${list} { edges { node { sessionId } } }`))
        expect(nodesOf(Object.values(at(data, 'session') as Data)[0])).toHaveLength(3)
        const [, , last = ''] = statements
        expect(last).toMatch(/LIMIT/)
        expect(last).not.toMatch(/\bOVER\b|ROW_NUMBER/i)
      }
    })

    test('A94: nested levels and the flat list show the same', async () => {
      const { data } = await asked(of('root', flat('first: 200', 'sessionId depth parent { sessionId }')))
      const all = nodesOf(at(data, 'session', 'descendants'))
      expect(all).toHaveLength(168)
      const deepest = all.filter(({ depth }) => depth === 8)
      expect(deepest).toEqual([{ sessionId: 'deep8', depth: 8, parent: { sessionId: 'deep7' } }])
      const { data: nested } = await asked(of('root', levels(8)))
      let branch: unknown = at(nested, 'session')
      for (let depth = 1; depth <= 8; depth++) {
        branch = nodesOf(at(branch, 'children')).find(({ sessionId }) => sessionId === `deep${depth}`)
        expect(branch).toBeDefined()
      }
    })
  })
})

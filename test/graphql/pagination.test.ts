import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { isObjectType } from 'graphql'
import { schema } from '../../src/graphql/schema.ts'
import { bury } from '../support/births.ts'
import { caller, ok, World } from '../support/world.ts'
import { Api, at, type Data } from './api.ts'
import { plant } from './planted.ts'

/** A connection of the API, and what a client writes to reach it. */
interface Case {
  readonly name: string
  /** Around the connection's field, which stands in for `…`. */
  readonly around: string
  readonly field: string
  readonly args?: string
  readonly node: string
  readonly path: readonly string[]
  readonly isBothWays?: true
  readonly isUncounted?: true
}

const inScope = (selection: string) => `scope(id: "default") { ${selection} }`
const inSession = (selection: string) => `session(scopeId: "default", sessionId: "root") { ${selection} }`

const cases: readonly Case[] = [
  { name: 'Query.scopes', around: '…', field: 'scopes', node: 'scopeId', path: ['scopes'], isUncounted: true },
  { name: 'Scope.sessions', around: inScope('…'), field: 'sessions', node: 'sessionId', path: ['scope', 'sessions'] },
  {
    name: 'Scope.sessions, filtered',
    around: inScope('…'),
    field: 'sessions',
    args: 'filter: { titleContains: "SUBAGENT", status: IDLE }',
    node: 'sessionId',
    path: ['scope', 'sessions'],
  },
  {
    name: 'Scope.events',
    around: inScope('…'),
    field: 'events',
    node: 'eventId',
    path: ['scope', 'events'],
    isUncounted: true,
  },
  {
    name: 'Scope.events, filtered',
    around: inScope('…'),
    field: 'events',
    args: 'types: [RUN_STARTED, PART_COMPLETED], sessionId: "root"',
    node: 'eventId',
    path: ['scope', 'events'],
    isUncounted: true,
  },
  {
    name: 'Scope.tombstones',
    around: inScope('…'),
    field: 'tombstones',
    node: 'sessionId',
    path: ['scope', 'tombstones'],
    isUncounted: true,
  },
  {
    name: 'Session.children',
    around: inSession('…'),
    field: 'children',
    node: 'sessionId',
    path: ['session', 'children'],
  },
  {
    name: 'Session.descendants',
    around: inSession('…'),
    field: 'descendants',
    node: 'sessionId',
    path: ['session', 'descendants'],
  },
  {
    name: 'Session.descendants, limited',
    around: inSession('…'),
    field: 'descendants',
    args: 'maxDepth: 1',
    node: 'sessionId',
    path: ['session', 'descendants'],
  },
  { name: 'Session.runs', around: inSession('…'), field: 'runs', node: 'runId', path: ['session', 'runs'] },
  {
    name: 'Session.messages',
    around: inSession('…'),
    field: 'messages',
    node: 'messageId',
    path: ['session', 'messages'],
    isBothWays: true,
  },
  {
    name: 'Run.messages',
    around: inSession('lastRun { … }'),
    field: 'messages',
    node: 'messageId',
    path: ['session', 'lastRun', 'messages'],
    isBothWays: true,
  },
]

/** Five scopes; in one of them a session with seven runs, six children and two grandchildren. */
async function planted() {
  const world = await World.started()
  world.models.onCall = (call) => void call.answer('Hello')
  await world.session('root')
  const parent = await world.load('root')
  for (let i = 0; i < 6; i++) {
    const child = await plant(world.stores, { parent, id: `child-${i}`, at: world.clock.now() + (i % 3) })
    if (i < 2) await plant(world.stores, { parent: child, id: `grandchild-${i}`, at: world.clock.now() })
  }
  await world.session('dead')
  for (let i = 0; i < 4; i++) await plant(world.stores, { parent: await world.load('dead'), id: `dead-${i}`, at: 0 })
  await bury(world.stores, await world.load('dead'))
  for (let i = 0; i < 7; i++) await world.prompt(`prompt ${i}`, { sessionId: parent.sessionId })
  for (const scopeId of ['b', 'c', 'd', 'e'] as const) {
    ok(await world.harness.createSession({ scopeId: scopeId as never }, caller))
  }
  return world
}

type Page = { ids: unknown[]; cursors: string[]; pageInfo: Data; totalCount: unknown }

function reader(api: Api, { around, field, args, node, path, isUncounted }: Case) {
  return async (page: string): Promise<Page> => {
    const given = [args, page].filter(Boolean).join(', ')
    const counts = isUncounted ? '' : 'totalCount totalCountCapped'
    const selection = `${field}${given && `(${given})`} {
      ${counts} pageInfo { hasNextPage hasPreviousPage startCursor endCursor } edges { cursor node { ${node} } }
    }`
    const connection = at(await api.data(`{ ${around.replace('…', selection)} }`), ...path)
    const edges = at(connection, 'edges') as { cursor: string; node: Data }[]
    return {
      ids: edges.map((edge) => edge.node[node]),
      cursors: edges.map(({ cursor }) => cursor),
      pageInfo: at(connection, 'pageInfo') as Data,
      totalCount: at(connection, 'totalCount'),
    }
  }
}

/** All ids, read in pages of this size, and what each page said of itself. */
async function inPages(read: (page: string) => Promise<Page>, size: number, direction: 'first' | 'last') {
  const ids: unknown[] = []
  let from = ''
  for (;;) {
    const page = await read(`${direction}: ${size}${from}`)
    const forwards = direction === 'first'
    expect(page.ids.length).toBeLessThanOrEqual(size)
    expect(page.pageInfo['startCursor']).toBe(page.cursors[0] ?? null)
    expect(page.pageInfo['endCursor']).toBe(page.cursors.at(-1))
    ids.splice(forwards ? ids.length : 0, 0, ...page.ids)
    const { hasNextPage, hasPreviousPage } = page.pageInfo
    expect(forwards ? hasPreviousPage : hasNextPage).toBe(from !== '')
    if (!(forwards ? hasNextPage : hasPreviousPage)) return ids
    from = forwards ? `, after: "${page.cursors.at(-1)}"` : `, before: "${page.cursors[0]}"`
  }
}

test('every connection of the schema is among the cases', () => {
  const connections = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })))
    .filter(({ field }) => String(field.type).replace('!', '').endsWith('Connection'))
    .map(({ type, field }) => `${type.name}.${field.name}`)
  expect(connections.toSorted()).toEqual([...new Set(cases.map(({ name }) => name.replace(/,.*/, '')))].toSorted())
})

describe.each(cases)('$name', (it) => {
  let api: Api
  let read: (page: string) => Promise<Page>
  let all: Page

  beforeAll(async () => {
    api = new Api((await planted()).harness)
    read = reader(api, it)
    all = await read('first: 200')
  })

  test('A4: it has several rows, each once', () => {
    expect(all.ids.length).toBeGreaterThan(1)
    expect(new Set(all.ids).size).toBe(all.ids.length)
    expect(new Set(all.cursors).size).toBe(all.cursors.length)
    expect(all.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
  })

  test('A4: its pages, whatever their size, are the whole list in its order', async () => {
    for (const size of [1, 2, 3, all.ids.length - 1, all.ids.length, all.ids.length + 1].filter((n) => n > 0)) {
      expect(await inPages(read, size, 'first')).toEqual(all.ids)
      expect(it.isBothWays ? await inPages(read, size, 'last') : all.ids).toEqual(all.ids)
    }
  })

  test('A4: behind any cursor comes the rest', async () => {
    for (const [i, cursor] of all.cursors.entries()) {
      expect((await read(`first: 200, after: "${cursor}"`)).ids).toEqual(all.ids.slice(i + 1))
    }
  })

  test('A4: it says how many there are', () => {
    expect(all.totalCount).toBe(it.isUncounted ? undefined : all.ids.length)
  })

  test('A4: an empty page says whether the list has something', async () => {
    expect(await read('first: 0')).toMatchObject({ ids: [], pageInfo: { hasNextPage: true, startCursor: null } })
    const behind = await read(`first: 0, after: "${all.cursors.at(-1)}"`)
    expect(behind).toMatchObject({ ids: [], pageInfo: { hasNextPage: false } })
  })

  test('A3: garbage as a cursor, and a cursor of another list, are VALIDATION_FAILED', async () => {
    const others = await Promise.all(
      cases
        .filter(({ field }) => field !== it.field && !(field === 'sessions' && it.field === 'children'))
        .map(async (other) => (await reader(api, other)('first: 1')).cursors[0]),
    )
    for (const cursor of ['', 'x', '🙂', 'A'.repeat(5000), ...others]) {
      const given = [it.args, `after: ${JSON.stringify(cursor)}`].filter(Boolean).join(', ')
      const source = `{ ${it.around.replace('…', `${it.field}(${given}) { edges { cursor } }`)} }`
      expect(await api.codes(source)).toEqual(['VALIDATION_FAILED'])
    }
  })
})

test('A3: a cursor of another scope is VALIDATION_FAILED', async () => {
  const api = new Api((await planted()).harness)
  for (const field of ['sessions', 'events']) {
    const there = at(
      await api.data(`{ scope(id: "b") { ${field} { edges { cursor } } } }`),
      'scope',
      field,
      'edges',
      0,
      'cursor',
    )
    const here = `{ scope(id: "default") { ${field}(after: ${JSON.stringify(there)}) { edges { cursor } } } }`
    expect(await api.codes(here)).toEqual(['VALIDATION_FAILED'])
  }
})

test('A3: cursors of sessions are the same, whatever is stored in other scopes', async () => {
  const cursors = async (others: number) => {
    const world = await World.started()
    for (let i = 0; i < others; i++) ok(await world.harness.createSession({ scopeId: 'other' as never }, caller))
    await world.session('root')
    const parent = await world.load('root')
    for (const id of ['a', 'b']) await plant(world.stores, { parent, id, at: world.clock.now() })
    const list = 'edges { cursor }'
    return new Api(world.harness).data(
      `{ scope(id: "default") { sessions { ${list} } session(sessionId: "root") { children { ${list} } } } }`,
    )
  }
  expect(await cursors(7)).toEqual(await cursors(0))
})

test('A4: first and last together are VALIDATION_FAILED', async () => {
  const api = new Api((await planted()).harness)
  const source =
    '{ session(scopeId: "default", sessionId: "root") { messages(first: 1, last: 1) { edges { cursor } } } }'
  expect(await api.codes(source)).toEqual(['VALIDATION_FAILED'])
})

test('A4: rows that do not move are neither skipped nor repeated while others do', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.integer({ min: 0, max: 7 }), { maxLength: 6 }),
      async (size, moves) => {
        const world = await World.started()
        world.models.onCall = (call) => void call.answer('Hello')
        const ids = Array.from({ length: 8 }, (_, i) => `s${i}`)
        for (const id of ids) {
          await world.session(id)
          await world.clock.advance(1000)
        }
        const api = new Api(world.harness)
        const seen: unknown[] = []
        const moved = new Set<string>()
        let after: unknown = null
        for (let turn = 0; ; turn++) {
          const data = await api.data(
            `query ($first: Int, $after: String) { scope(id: "default") { sessions(first: $first, after: $after) {
              pageInfo { hasNextPage endCursor } edges { node { sessionId } }
            } } }`,
            { first: size, after },
          )
          const edges = at(data, 'scope', 'sessions', 'edges') as { node: { sessionId: string } }[]
          seen.push(...edges.map(({ node }) => node.sessionId))
          if (!at(data, 'scope', 'sessions', 'pageInfo', 'hasNextPage')) break
          after = at(data, 'scope', 'sessions', 'pageInfo', 'endCursor')
          const move = moves[turn]
          if (move === undefined) continue
          const { sessionId } = await world.load(`s${move}`)
          await world.prompt('up', { sessionId })
          await world.clock.advance(1000)
          moved.add(sessionId)
        }
        const still = ids.filter((id) => !moved.has(id)).toReversed()
        expect(seen.filter((id) => !moved.has(String(id)))).toEqual(still)
      },
    ),
    { numRuns: 15 },
  )
})

import { describe, expect, test } from 'vitest'
import type { Principal } from '../../src/domain/access/principal.ts'
import { tester, World } from '../support/world.ts'
import { Api, at, codesOf, type Data, type Result } from './api.ts'
import { approving, callsWrite, respond, waiting } from './approving.ts'

const INBOX = `subscription ($scope: ID! = "default") { pendingPermissions(scopeId: $scope) {
  permissionId kind description rememberKey metadata state decision decidedBy session { sessionId status }
} }`

/** In short, such as `s PENDING`. */
const inShort = (update: unknown) =>
  (update as readonly Data[]).map((it) => `${String(at(it, 'session', 'sessionId'))} ${String(it['decision'] ?? it['state'])}`)

describe('an inbox', () => {
  test('A73: first tells all that wait, maybe none, then what was asked and what was answered', async () => {
    const { world, api } = await approving()
    await world.session('t')
    const early = await api.watch(INBOX)
    expect(await early.event()).toEqual([])
    const first = early.event()
    await callsWrite(world)
    expect(await first).toEqual([
      {
        permissionId: await waiting(api),
        kind: 'tool',
        description: 'Call the tool write',
        rememberKey: 'write',
        metadata: { toolName: 'write', input: { path: 'a' } },
        state: 'PENDING',
        decision: null,
        decidedBy: null,
        session: { sessionId: 's', status: 'AWAITING_PERMISSION' },
      },
    ])
    const second = early.event()
    await callsWrite(world, { session: 't' })
    expect(inShort(await second)).toEqual(['t PENDING'])

    const late = await api.watch(INBOX)
    expect(inShort(await late.event())).toEqual(['s PENDING', 't PENDING'])
    const both = [early.event(), late.event()]
    await respond(api, { permissionId: await waiting(api), decision: 'ONCE' })
    expect((await Promise.all(both)).map(inShort)).toEqual([['s ONCE'], ['s ONCE']])
    await early.stop()
    await late.stop()
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A73: whoever reads slowly is told once of each request, as it is by then', async () => {
    const { world, api } = await approving()
    const feed = await api.watch(INBOX)
    expect(await feed.event()).toEqual([])
    for (const decision of ['ONCE', 'REJECT']) {
      await callsWrite(world)
      await respond(api, { permissionId: await waiting(api), decision })
      await world.abort()
      await world.clock.advance(60_000)
    }
    expect(inShort(await feed.event())).toEqual(['s ONCE', 's REJECT'])
    await feed.stop()
  })

  test('A73: what an earlier ALWAYS lets pass is not told', async () => {
    const { world, api } = await approving()
    await callsWrite(world)
    await respond(api, { permissionId: await waiting(api), decision: 'ALWAYS' })
    await world.clock.settle()
    const feed = await api.watch(INBOX)
    expect(await feed.event()).toEqual([])
    const next = feed.event()
    world.tools.last.answer('done')
    await world.clock.settle()
    world.models.last.calls('write', {}).finish('continue')
    await world.clock.settle()
    expect(world.tools.executions).toHaveLength(2)
    world.tools.add('other')
    world.tools.last.answer('done')
    await world.clock.settle()
    world.models.last.answer('Bye')
    await world.clock.settle()
    await callsWrite(world, { tool: 'other' })
    expect(inShort(await next)).toEqual(['s PENDING'])
    await feed.stop()
  })

  test('A73: of a scope in which nothing was stored is empty, and hears of its first request', async () => {
    const world = await World.started()
    world.tools.add('write')
    const api = new Api(world.harness)
    const feed = await api.watch(INBOX)
    expect(await feed.event()).toEqual([])
    const next = feed.event()
    await world.session()
    await callsWrite(world)
    expect(inShort(await next)).toEqual(['s PENDING'])
    await feed.stop()
  })

  test('A73: ends with the server, with everything that was committed', async () => {
    const { world, api } = await approving()
    const feed = await api.watch(INBOX)
    expect(await feed.event()).toEqual([])
    await callsWrite(world)
    const closing = world.harness.close({ graceMs: 0 })
    await world.clock.advance(60_000)
    await closing
    expect(inShort(await feed.event())).toEqual(['s CANCELLED'])
    expect(await feed.next()).toBeUndefined()
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A7: of a scope that is not seen is NOT_FOUND, also from the moment on that it is not seen any more', async () => {
    const { world } = await approving()
    let scopes = ['default']
    const principal: Principal = {
      ...tester,
      role: 'VIEWER',
      get scopes() {
        return scopes
      },
    }
    const api = new Api(world.harness, principal)
    expect(codesOf((await api.attempt(INBOX, { scope: 'hidden' })) as Result)).toEqual(['NOT_FOUND'])
    const feed = await api.watch(INBOX)
    expect(await feed.event()).toEqual([])
    scopes = []
    await callsWrite(world)
    await expect(feed.next()).rejects.toMatchObject({ extensions: { code: 'NOT_FOUND' } })
    expect(world.harness.subscriptions.size).toBe(0)
  })

  test('A10: after a reader has left nothing remains', async () => {
    const { world, api } = await approving()
    const feed = await api.watch(INBOX)
    const next = [feed.next(), feed.next()]
    await feed.stop()
    await world.clock.settle()
    expect(await Promise.all(next)).toEqual([undefined, undefined])
    expect(world.harness.subscriptions.size).toBe(0)
  })
})

test('A73: the list of a scope is that of all sessions, oldest first, bounded', async () => {
  const { world, api } = await approving()
  await world.prompt('go')
  const [request] = world.tools.requests
  for (let i = 0; i < 205; i++) {
    request?.requestPermission({ kind: 'count', description: `number ${i}` }).catch(() => undefined)
    await world.clock.advance(1)
  }
  const data = await api.data('{ scope(id: "default") { pendingPermissions { description } } }')
  const listed = at(data, 'scope', 'pendingPermissions') as readonly Data[]
  expect(listed.map(({ description }) => description)).toEqual(Array.from({ length: 200 }, (_, i) => `number ${i}`))

  const feed = await api.watch('subscription { pendingPermissions(scopeId: "default") { description } }')
  expect(await feed.event()).toEqual(listed)
  expect(await feed.event()).toHaveLength(5)
  await feed.stop()
})

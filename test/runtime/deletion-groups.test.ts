import { expect, test } from 'vitest'
import { asGenerationId, asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import type { InboxUpdate } from '../../src/ports/live-inbox.ts'
import { growOpen, ids } from '../support/births.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

const remove = (world: World, id = 's') => world.harness.deleteSession({ scopeId, sessionId: asSessionId(id) }, caller)

const NOT_YET = 'The session s could not be erased yet.'

const told = async (world: World) =>
  (await world.events()).filter(({ body }) => body.type === 'session.deleted').map(({ sessionId }) => sessionId)

const slot = async (world: World, id = 's') => {
  const scope = await world.stores.scopes.find(asStorageKey(scopeId))
  return (await world.stores.structure.slot(scope!.key, asSessionId(id))).kind
}

/** A tree s ─ a ─ c, s ─ b, of which the run of `busy` holds tools that cannot be given back until that is allowed. */
async function stuck(busy: string) {
  const world = await World.started()
  const release = { isAllowed: false, tries: 0 }
  world.tools.onRelease = async () => {
    release.tries += 1
    if (!release.isAllowed) throw new Error('The tools are stuck.')
  }
  await world.session()
  await growOpen(world.stores, await world.load(), { a: { c: {} }, b: {} })
  await world.prompt('works', { sessionId: asSessionId(busy) })
  world.models.last.start().delta('half')
  await world.clock.settle()
  return { world, release }
}

test('D7: what cannot be released keeps the tombstones, and the next call goes on', async () => {
  const { world, release } = await stuck('a')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  expect(await Promise.all(['s', 'a', 'b', 'c'].map((id) => slot(world, id)))).toEqual(Array(4).fill('tombstoned'))
  await expect(remove(world, 'c')).rejects.toThrow(NOT_YET)
  expect(await told(world)).toEqual([])
  release.isAllowed = true
  expect(ok(await remove(world, 'b'))).toEqual(ids('c', 'a', 'b', 's'))
  expect(await told(world)).toEqual(['c', 'a', 'b', 's'])
  // Once by the run, and once by each who deletes.
  expect(release.tries).toBe(4)
})

test('D7: nobody can read, prompt, or create anew what is being deleted', async () => {
  const { world, release } = await stuck('s')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  expect(refusal(await world.enqueue('too late'))).toBe('NOT_FOUND')
  expect(refusal(await world.enqueue('too late', { sessionId: asSessionId('c') }))).toBe('NOT_FOUND')
  const again = () => world.harness.createSession({ scopeId, sessionId: asSessionId('b') }, caller)
  expect(await again()).toMatchObject({ ok: false, refusal: { code: 'VALIDATION_FAILED', issues: [{ path: ['sessionId'] }] } })
  await expect(world.load('a')).rejects.toThrow('There is no session a.')
  release.isAllowed = true
  ok(await remove(world))
  expect(ok(await again())).toMatchObject({ sessionId: 'b', generation: { generationSequence: 7 } })
})

test('D8: a deletion finishes those that have begun below it first, and what waited for them', async () => {
  const { world, release } = await stuck('c')
  await expect(remove(world, 'a')).rejects.toThrow('The session a could not be erased yet.')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  expect(await told(world)).toEqual([])
  release.isAllowed = true
  expect(ok(await remove(world))).toEqual(ids('c', 'a', 'b', 's'))
  expect(await told(world)).toEqual(['c', 'a', 'b', 's'])
})

test('D9: who deletes the same at the same time shares one deletion', async () => {
  const { world, release } = await stuck('a')
  release.isAllowed = true
  const gate = Promise.withResolvers<void>()
  world.tools.onRelease = () => gate.promise
  const deletions = [remove(world), remove(world, 'c')]
  await world.clock.settle()
  deletions.push(remove(world, 'b'), remove(world))
  await world.clock.settle()
  gate.resolve()
  const answers = await Promise.all(deletions)
  const removed = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
  expect(removed).toContainEqual(ids('c', 'a', 'b', 's'))
  expect(await told(world)).toHaveLength(4)
  expect(new Set(await told(world)).size).toBe(4)
})

test('D10: the next start finishes what a process has left', async () => {
  const { world } = await stuck('a')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  const next = await World.started({ stores: world.stores, clock: world.clock })
  await next.clock.settle()
  expect(await told(next)).toEqual(['c', 'a', 'b', 's'])
})

test('D10: retiring a scope finishes deletions, and fails while they do', async () => {
  const { world, release } = await stuck('a')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  await expect(world.harness.retireScope({ scopeId }, caller)).rejects.toThrow(NOT_YET)
  expect(refusal(await remove(world))).toBe('SCOPE_RETIRED')
  release.isAllowed = true
  ok(await world.harness.retireScope({ scopeId }, caller))
  expect(await told(world)).toEqual(['c', 'a', 'b', 's'])
})

test('D10: a scope that is fenced refuses deletions, and goes on with those that had begun when it is restored', async () => {
  const { world, release } = await stuck('a')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  release.isAllowed = true
  ok(await world.harness.fenceScope({ scopeId, reason: 'To see.' }, caller))
  expect(refusal(await remove(world))).toBe('SCOPE_FENCED')
  await world.clock.advance(60_000)
  expect(await told(world)).toEqual(['c', 'a', 'b', 's'])
})

test('D10: closing tries again what could not be released', async () => {
  const { world, release } = await stuck('a')
  await expect(remove(world)).rejects.toThrow(NOT_YET)
  await expect(world.harness.close()).rejects.toThrow('Not everything could be stopped.')
  release.isAllowed = true
  await world.harness.close()
  expect(release.tries).toBe(4)
})

test('D6: requests that wait in what is deleted are cancelled, for everybody who looks', async () => {
  const world = await World.started()
  world.tools.add('write')
  await world.session()
  await world.prompt('asks')
  world.models.last.calls('write', { secret: 'x' }).finish('continue')
  await world.clock.settle()
  const { scopeKey } = await world.load()
  const [{ permissionId } = { permissionId: undefined }] = await world.permissions()
  const inbox = await world.harness.liveInboxes.follow({ scopeKey })
  const next = async (): Promise<InboxUpdate | undefined> => (await inbox.next()).value as InboxUpdate | undefined
  expect((await next())?.permissionIds).toEqual([permissionId])
  ok(await remove(world))
  const update = await next()
  expect(update?.permissionIds).toEqual([permissionId])
  const cancelled = [...(update?.cancelled.values() ?? [])]
  expect(cancelled).toMatchObject([{ permission: { metadata: null, state: { decision: 'CANCELLED' } } }])
  expect(await world.stores.permissions.inbox(scopeKey, undefined, 9)).toEqual([])
  const answer = { scopeId, permissionId: permissionId!, decision: 'ONCE' } as const
  expect(refusal(await world.harness.respondToPermission(answer, caller))).toBe('NOT_FOUND')
  await inbox.return?.()
})

test('D11: a deleted id begins anew in another generation', async () => {
  const world = await World.started()
  await world.session()
  const first = await world.load()
  ok(await remove(world))
  await world.session()
  const second = await world.load()
  expect(second.generation.generationSequence).toBeGreaterThan(first.generation.generationSequence)
  expect(second.generation.generationId).not.toBe(asGenerationId(first.generation.generationId))
  expect(await told(world)).toEqual(['s'])
})

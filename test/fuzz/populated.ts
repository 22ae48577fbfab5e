import { asPermissionId, asScopeId, asSessionId, type PermissionId } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { until } from '../server/until.ts'
import { plant } from '../graphql/planted.ts'
import { caller, ok, scopeId, type World } from '../support/world.ts'
import { directly } from './directly.ts'
import { Pool } from './known.ts'
import { type Stage, stage } from './stage.ts'

const EVERYTHING = `{ harness { models { id } } scopes { edges { cursor node {
  id scopeId
  events { edges { cursor node { eventId } } pageInfo { endCursor } }
  sessions { edges { cursor node {
    id sessionId title agent generation { generationId } queue { id queueId clientRequestId }
    runs { edges { cursor node { id runId } } }
    messages { edges { cursor node { id messageId parts { partId } } } }
    children { edges { cursor } } descendants { edges { cursor } }
    permissions { id permissionId } grants { rememberKey } uncertainToolExecutions { id intentId }
  } } }
} } } }`

export interface Populated extends Stage {
  readonly pool: Pool
}

/**
 * A stage with two scopes, sessions below sessions, a run that ended, one that goes on, a prompt that waits, a request that
 * does, a grant, and a call of which nobody knows the end.
 */
export async function populated(stores?: Stores): Promise<Populated> {
  const built = await stage(stores)
  const { world } = built
  await world.session('s')
  await world.session('t')
  await world.session('u')
  world.tools.add('write').add('erase')
  ok(await world.harness.createSession({ scopeId: asScopeId('other'), sessionId: asSessionId('s') }, caller))
  const child = await plant(world.stores, { parent: await world.load('s'), id: 'child', at: world.clock.now() })
  await plant(world.stores, { parent: child, id: 'grandchild', at: world.clock.now() })
  await runs(world)
  await asksAPerson(world)
  await prompts(world, 's')
  world.models.last.start().delta('Hel')
  await world.clock.advance(25)
  await world.prompt('third')
  const pool = new Pool()
  pool.add(await directly(built, { source: EVERYTHING, variables: {} }))
  return Object.defineProperties({ pool } as Populated, Object.getOwnPropertyDescriptors(built))
}

async function runs(world: World): Promise<void> {
  await world.prompt('first', { clientRequestId: 'request' })
  await eventually('the model is asked', world, () => world.models.calls.length === 1)
  world.models.last.start('reasoning').delta('Hm', 'reasoning').end('reasoning').answer('Hello')
  await eventually('the run has ended', world, async () => (await world.load()).work.kind === 'idle')
}

async function asksAPerson(world: World): Promise<void> {
  const permissionId = await asks(world, 't', 'write')
  ok(await world.harness.respondToPermission({ scopeId, permissionId, decision: 'ALWAYS' }, caller))
  await eventually('the tool is called', world, () => world.tools.executions.length === 1)
  ok(await world.harness.abortRun({ scopeId, sessionId: asSessionId('t') }, caller))
  await eventually('the call is given up', world, async () => {
    await world.clock.advance(5_000)
    return (await world.load('t')).work.kind === 'idle'
  })
  await asks(world, 'u', 'erase')
}

/** The session is prompted, and its model called. */
async function prompts(world: World, session: string): Promise<void> {
  const calls = world.models.calls.length
  await world.prompt('Hi', { sessionId: asSessionId(session) })
  await eventually('the model is called', world, () => world.models.calls.length > calls)
}

/** The model of a session asks for a call of a tool, and a person is asked. */
async function asks(world: World, session: string, tool: string): Promise<PermissionId> {
  await prompts(world, session)
  world.models.last.calls(tool, { path: 'a' }).finish('continue')
  const { key } = await world.load(session)
  let permissionId: PermissionId | undefined
  await eventually('a person is asked', world, async () => {
    permissionId = (await world.stores.permissions.pending([key]))[0]?.permissionId
    return permissionId !== undefined
  })
  return permissionId ?? asPermissionId('none')
}

const eventually = (what: string, { clock }: World, holds: () => boolean | Promise<boolean>): Promise<void> =>
  until(what, async () => {
    await clock.settle()
    return holds()
  })

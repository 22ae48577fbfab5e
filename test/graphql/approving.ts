import { asSessionId } from '../../src/kernel/ids.ts'
import type { Json } from '../../src/kernel/json.ts'
import { World } from '../support/world.ts'
import { Api, at, type Data } from './api.ts'

/** A world with a session `s` and a tool `write`, for which a person is asked. */
export async function approving(options: ConstructorParameters<typeof World>[0] = {}) {
  const world = await World.started(options)
  world.tools.add('write')
  await world.session()
  return { world, api: new Api(world.harness) }
}

interface Wanted {
  readonly session?: string
  readonly input?: Json
  readonly tool?: string
}

/** The session is prompted, and its model asks for a call of `write`. */
export async function callsWrite(world: World, { session = 's', input = { path: 'a' }, tool = 'write' }: Wanted = {}) {
  await world.prompt('go', { sessionId: asSessionId(session) })
  world.models.last.calls(tool, input).finish('continue')
  await world.clock.settle()
}

const WAITING = `query ($id: ID!) { session(scopeId: "default", sessionId: $id) {
  permissions(pending: true) { permissionId }
} }`

/** The oldest request of a session that waits; `undefined`, as text, when none does. */
export async function waiting(api: Api, session = 's'): Promise<string> {
  const data = await api.data(WAITING, { id: session })
  return String(at(data, 'session', 'permissions', 0, 'permissionId'))
}

const RESPOND = `mutation ($input: RespondToPermissionInput!) { respondToPermission(input: $input) {
  __typename
  ... on RespondToPermissionPayload { permission { state decision message decidedBy session { status } } }
  ... on Error { code message } ... on ValidationError { issues { path message } }
} }`

/** Answers a request of the scope `default`. */
export async function respond(api: Api, input: Readonly<Record<string, unknown>>): Promise<Data> {
  const { respondToPermission } = await api.data(RESPOND, { input: { scopeId: 'default', ...input } })
  return respondToPermission as Data
}

/** Begins a call of `write` and stops its run; it does not obey in time, so nobody knows what it did. */
export async function becomesUncertain(world: World, api: Api): Promise<void> {
  await callsWrite(world)
  await respond(api, { permissionId: await waiting(api), decision: 'ONCE' })
  await world.clock.settle()
  await world.abort()
  await world.clock.advance(60_000)
}

import { expectSettled } from './laws.ts'
import { agents, followScripts, type Script, type Task } from './scripted-runs.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { World } from './world.ts'

export type WorldOptions = NonNullable<ConstructorParameters<typeof World>[0]>

const allowed = [{ tool: '*', effect: 'allow' }] as const

/** A world with subagents, whose runs do what their prompts say and need ask nobody. */
export async function delegating(options: WorldOptions = {}): Promise<World> {
  const world = await World.started({ subagents: agents, policies: allowed, recovery: 'RESUME', ...options })
  followScripts(world.models)
  await world.session()
  return world
}

/** The children of a session, oldest first. */
export async function childrenOf(world: World, id = 's') {
  const { key, scopeKey, place } = await world.load(id)
  const below = await world.stores.sessions.descendants({ scopeKey, path: place.path, limit: 200 })
  return below.filter(({ place: { parentKey } }) => parentKey === key)
}

/** All sessions of a tree, the root first. */
export async function treeOf(world: World, id = 's') {
  const root = await world.load(id)
  return [root, ...(await world.stores.sessions.descendants({ scopeKey: root.scopeKey, path: root.place.path, limit: 200 }))]
}

/** How the prompts of a session ended, oldest first; those that have not, by their state. */
export const endsOf = async (world: World, id = 's') =>
  (await world.entries(id))
    .toSorted((a, b) => a.ordinal - b.ordinal)
    .map(({ state }) => (state.kind === 'finished' ? state.status : state.kind))

/** Checks that nothing goes on in the tree, and that all that is stored of it fits together. */
export async function expectTreeSettled(world: World, id = 's'): Promise<void> {
  for (const { sessionId } of await treeOf(world, id)) await expectSettled(world, [], asSessionId(sessionId))
}

export const say = (text: string): Script => ({ say: text })

/** Delegates, one task beside the other, and answers with what came back. */
export const delegate = (...tasks: readonly Task[]): Script => ({ delegate: tasks })

/** A chain of delegations, of which the deepest does what the script says. */
export const chain = (depth: number, script: Script): Script =>
  depth === 0 ? script : delegate({ to: 'researcher', script: chain(depth - 1, script) })

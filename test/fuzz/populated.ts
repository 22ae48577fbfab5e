import { asScopeId, asSessionId } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { until } from '../server/until.ts'
import { plant } from '../graphql/planted.ts'
import { caller, ok } from '../support/world.ts'
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
  } } }
} } } }`

export interface Populated extends Stage {
  readonly pool: Pool
}

/** A stage with two scopes, sessions below sessions, a run that ended, one that goes on, and a prompt that waits. */
export async function populated(stores?: Stores): Promise<Populated> {
  const built = await stage(stores)
  const { world } = built
  await world.session('s')
  await world.session('t')
  ok(await world.harness.createSession({ scopeId: asScopeId('other'), sessionId: asSessionId('s') }, caller))
  const child = await plant(world.stores, { parent: await world.load('s'), id: 'child', at: world.clock.now() })
  await plant(world.stores, { parent: child, id: 'grandchild', at: world.clock.now() })
  const called = (count: number) =>
    until('the model is asked', async () => {
      await world.clock.settle()
      return world.models.calls.length === count
    })
  await world.prompt('first', { clientRequestId: 'request' })
  await called(1)
  world.models.last.start('reasoning').delta('Hm', 'reasoning').end('reasoning').answer('Hello')
  await until('the first run has ended', async () => {
    await world.clock.settle()
    return (await world.load()).work.kind === 'idle'
  })
  await world.prompt('second')
  await called(2)
  world.models.last.start().delta('Hel')
  await world.clock.advance(25)
  await world.prompt('third')
  const pool = new Pool()
  pool.add(await directly(built, { source: EVERYTHING, variables: {} }))
  return Object.defineProperties({ pool } as Populated, Object.getOwnPropertyDescriptors(built))
}

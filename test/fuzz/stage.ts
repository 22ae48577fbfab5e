import { createGraphQLServer } from '../../src/server/graphql-server.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Log } from '../../src/ports/telemetry.ts'
import { heldStores } from '../support/held-stores.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { World } from '../support/world.ts'

/** A world, and the server over it on a socket of its own. */
export interface Stage extends AsyncDisposable {
  readonly world: World
  readonly url: string
  readonly log: Log
  readonly subscriptions: number
  /** What went into the logs as an error, but for what the model did. */
  readonly faults: readonly unknown[]
}

export async function stage(stores?: Stores): Promise<Stage> {
  const clock = virtualClock()
  const world = await World.started({ clock, ...(stores && { stores: heldStores(stores, clock) }) })
  const line = (level: 'info' | 'warn' | 'error') => (fields: Readonly<Record<string, unknown>>, message: string) => {
    world.lines.push({ level, fields, message })
  }
  const log = { info: line('info'), warn: line('warn'), error: line('error') }
  const server = createGraphQLServer({ harness: world.harness, log })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  return {
    world,
    url,
    log,
    get subscriptions() {
      return world.harness.subscriptions.size
    },
    get faults() {
      return world.lines.filter(({ level, fields }) => level === 'error' && fields['source'] !== 'model')
    },
    async [Symbol.asyncDispose]() {
      server.stopListening()
      let isClosed = false
      const closing = world.harness.close({ graceMs: 0 }).finally(() => {
        isClosed = true
      })
      while (!isClosed) await world.clock.advance(100)
      await closing
      await server.close()
    },
  }
}

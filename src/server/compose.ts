/*
 * The only place that knows everything: puts stores, models, events, harness and HTTP together. Owns all of them until
 * `close`, which ends them in the order in which nobody misses anything.
 */
import { readFileSync } from 'node:fs'
import { modelName } from '../agent/model-name.ts'
import { offlineIdentity } from '../agent/offline-model.ts'
import { modelRegistry } from '../agent/registry.ts'
import { sdkToolProvider } from '../agent/sdk-tools.ts'
import { builtInTools } from '../agent/tools/built-in-tools.ts'
import type { Log } from '../ports/telemetry.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { systemIds } from '../runtime/system-ids.ts'
import { prismaStores } from '../stores/prisma/prisma-stores.ts'
import { tokenAuthenticator } from './auth/token-authenticator.ts'
import type { ServerConfig } from './config.ts'
import { embeddedHarness } from './embedded-harness.ts'
import { createGraphQLServer } from './graphql-server.ts'

export interface RunningServer {
  /** Where the API is. */
  readonly url: string
  readonly answersOffline: boolean
  /**
   * Takes no new connection and no new work, gives runs ten seconds to end, interrupts the others durably, ends
   * subscriptions and connections, and closes the stores.
   */
  close(): Promise<void>
}

/**
 * Starts everything, and resolves when it serves and has gone on with what an earlier process left. The address is
 * taken before any work is touched. Rejects when something cannot be had, with nothing left behind.
 */
export async function compose(config: ServerConfig, log: Log): Promise<RunningServer> {
  await using starting = new AsyncDisposableStack()

  const models = modelRegistry(config.models, systemClock)
  const stores = await prismaStores({ url: config.databaseUrl, log })
  starting.defer(() => stores.close())

  const tools = sdkToolProvider(builtInTools({ root: config.workspace, clock: systemClock, ids: systemIds }))
  const { subagents, maxSubagentDepth } = config
  const harness = embeddedHarness({
    stores,
    models,
    tools,
    subagents: subagents.definitions,
    limits: { maxSubagentDepth },
    log,
    version: version(),
  })
  const { hosts, origins, tokens } = config
  const authenticator = tokens.length > 0 && { authenticator: tokenAuthenticator(tokens) }
  const server = createGraphQLServer({ harness, log, hosts, origins, ...authenticator })
  starting.defer(() => server.close())
  starting.defer(() => harness.close())
  starting.defer(() => server.stopListening())

  const url = await server.listen(config)
  await harness.start()

  const running = starting.move()
  return {
    url,
    answersOffline: config.models.default === modelName(offlineIdentity),
    close: () => running.disposeAsync(),
  }
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

import type { ScopeResolver } from '../../src/ports/scope-resolver.ts'
import type { ToolProvider } from '../../src/ports/tools.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Harness } from '../../src/runtime/harness.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { embeddedHarness } from '../../src/server/embedded-harness.ts'
import { createGraphQLServer, type GraphQLServer, type GraphQLServerOptions } from '../../src/server/graphql-server.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { ManualModels } from '../support/manual-model.ts'

interface LogLine {
  readonly level: 'info' | 'warn' | 'error'
  readonly fields: Readonly<Record<string, unknown>>
  readonly message: string
}

export interface TestServer extends AsyncDisposable {
  readonly url: string
  readonly server: GraphQLServer
  readonly harness: Harness
  readonly models: ManualModels
  readonly stores: Stores
  readonly lines: readonly LogLine[]
}

export interface TestServerOptions extends Partial<Omit<GraphQLServerOptions, 'harness' | 'log'>> {
  readonly decorate?: (stores: Stores) => Stores
  readonly resolver?: ScopeResolver
  /** None when absent. */
  readonly tools?: ToolProvider
}

/** The server in this process, on real sockets, with stores in memory and a model that the test plays. */
export async function testServer(given: TestServerOptions = {}): Promise<TestServer> {
  const { decorate = (it: Stores) => it, resolver, tools, ...options } = given
  const lines: LogLine[] = []
  const line = (level: LogLine['level']) => (fields: LogLine['fields'], message: string) => {
    lines.push({ level, fields, message })
  }
  const log = { info: line('info'), warn: line('warn'), error: line('error') }
  const stores = decorate(memoryStores({ clock: systemClock }))
  const models = new ManualModels()
  const harness = embeddedHarness({
    stores,
    models,
    log,
    version: '0.0.0',
    ...(resolver && { resolver }),
    ...(tools && { tools }),
  })
  const server = createGraphQLServer({ harness, log, ...options })
  const url = await server.listen({ host: '127.0.0.1', port: 0 })
  await harness.start()
  return {
    url,
    server,
    harness,
    models,
    stores,
    lines,
    async [Symbol.asyncDispose]() {
      server.stopListening()
      await harness.close({ graceMs: 0 })
      await server.close()
    },
  }
}

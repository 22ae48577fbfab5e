/**
 * A process that serves a harness of this library, as an application would embed it, until it is killed or kills itself.
 * Tools note what they do, and stores what they were told, in files outside of the database.
 */
import { openSync } from 'node:fs'
import { modelName } from '../../src/agent/model-name.ts'
import { offlineIdentity } from '../../src/agent/offline-model.ts'
import { modelRegistry } from '../../src/agent/registry.ts'
import { sdkToolProvider } from '../../src/agent/sdk-tools.ts'
import type { LeasePolicy } from '../../src/runtime/leases.ts'
import type { RecoveryPolicy } from '../../src/runtime/recovery-policy.ts'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { embeddedHarness } from '../../src/server/embedded-harness.ts'
import { createGraphQLServer } from '../../src/server/graphql-server.ts'
import { pinoLog } from '../../src/server/pino-log.ts'
import { prismaStores } from '../../src/stores/prisma/prisma-stores.ts'
import { countingTools } from './counting-tools.ts'
import { note } from './journal.ts'
import { type Death, watchedStores } from './watched-stores.ts'

export interface Life {
  readonly name: string
  readonly databaseUrl: string
  /** The file in which it notes what the store said to its commits. */
  readonly journal: string
  /** The file in which its tools note that they were executed. */
  readonly effects: string
  readonly leases?: Partial<LeasePolicy>
  readonly death?: Death
  readonly recovery?: RecoveryPolicy
}

const { name, databaseUrl, journal, effects, leases, death, recovery } = JSON.parse(process.argv[2] ?? '') as Life

const attempts = openSync(journal, 'a')
const done = openSync(effects, 'a')
const log = pinoLog('error')
const stores = await prismaStores({ url: databaseUrl, log })
const harness = embeddedHarness({
  stores: watchedStores(stores, { process: name, death, note: (attempt) => note(attempts, attempt) }),
  models: modelRegistry({ default: modelName(offlineIdentity), providers: {} }, systemClock),
  tools: sdkToolProvider(countingTools((effect) => note(done, effect))),
  policies: [{ tool: 'charge', effect: 'allow' }, { tool: 'put', effect: 'allow' }],
  log,
  ...(leases && { leases }),
  ...(recovery && { recovery }),
})
const server = createGraphQLServer({ harness, log, graphiql: 'off' })
const url = await server.listen({ host: '127.0.0.1', port: 0 })
await harness.start()
process.stdout.write(`flexharness is ready at ${url}\n`)

process.on('SIGTERM', () => {
  const close = async () => {
    server.stopListening()
    await harness.close()
    await server.close()
    await stores.close()
  }
  close().then(
    () => process.exit(0),
    (error: unknown) => {
      log.error({ err: error }, 'the process could not stop cleanly')
      process.exit(1)
    },
  )
})

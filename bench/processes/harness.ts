/** Serves a harness with the fake provider. Its argument is `memory`, or the URL of a database. */
import { setTimeout } from 'node:timers/promises'
import { retryingModel } from '../../src/agent/retrying-model.ts'
import { sdkModel } from '../../src/agent/sdk-model.ts'
import {
  asScopeId,
  createGraphQLServer,
  createHarness,
  memoryStores,
  pinoLog,
  prismaStores,
  systemClock,
} from '../../src/index.ts'
import { answerParent } from '../support/answer-parent.ts'
import { fakeModel } from '../support/fake-model.ts'

const [, , database = 'memory'] = process.argv
const log = pinoLog('warn')
const stores = database === 'memory' ? memoryStores({ clock: systemClock }) : await prismaStores({ url: database, log })
const identity = { provider: 'bench', id: 'deltas' }
const model = sdkModel(identity, retryingModel(fakeModel(), systemClock))
const harness = createHarness({ stores, log, models: { known: [identity], resolve: async () => model } })
const server = createGraphQLServer({ harness, log, graphiql: 'off' })
const url = await server.listen({ host: '127.0.0.1', port: 0 })
await harness.start()

answerParent(url, {
  /** Until so many subscriptions are attached. */
  async attached(count) {
    while (harness.subscriptions.size !== count) await setTimeout(1)
  },
  /** Until no session has work left. */
  async settled() {
    while ((await stores.sessions.unsettled(undefined, 1)).length > 0) await setTimeout(1)
  },
  /** Creates so many sessions, at once. */
  async createSessions(count) {
    const created = Array.from({ length: Number(count) }, () =>
      harness.createSession({ scopeId: asScopeId('default') }, { principal: 'bench' }),
    )
    for (const answer of await Promise.all(created)) if (!answer.ok) throw new Error(answer.refusal.message)
  },
})

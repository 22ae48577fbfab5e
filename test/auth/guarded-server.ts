import { asScopeId, asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { tokenAuthenticator } from '../../src/server/auth/token-authenticator.ts'
import { readTokens } from '../../src/server/config/tokens.ts'
import { plant } from '../graphql/planted.ts'
import { testServer, type TestServer, type TestServerOptions } from '../server/test-server.ts'
import { until } from '../server/until.ts'

/** One for each role in the scopes `own` and `own/…`, and one who may do everything everywhere. */
export const tokens = {
  viewer: 'viewer-1e9bd7a20c5f4e21',
  operator: 'operator-7c1d55a09e3b4f02==',
  admin: 'admin-3f60c2b81d7a4955',
  root: 'root-90ab5de17c3346f8',
} as const

export const HARNESS_TOKENS = [
  `${tokens.viewer}=VIEWER:own,own/*`,
  `${tokens.operator}=OPERATOR:own,own/*`,
  `${tokens.admin}=ADMIN:own,own/*`,
  `${tokens.root}=ADMIN:*`,
].join(';')

export function grantsOf(text: string) {
  const reading = readTokens(text)
  if (!reading.ok) throw new Error(reading.problems.join('\n'))
  return reading.grants
}

/** A server that knows the four tokens. Its resolver refuses the scope `own/refused`, which is as good as absent. */
export async function guardedServer(options: TestServerOptions = {}): Promise<TestServer> {
  const started = await testServer({
    authenticator: tokenAuthenticator(grantsOf(HARNESS_TOKENS)),
    resolver: {
      resolve: async (scopeId) =>
        scopeId === 'own/refused' ? undefined : { storageKey: asStorageKey(scopeId), context: undefined },
    },
    ...options,
  })
  started.models.onCall = (call) => void call.answer('Hello')
  return started
}

const caller = { principal: 'gardener' }

/** In a scope the session `s` with two finished runs, and `child` below it. */
export async function planted({ harness, stores }: TestServer, scope: string): Promise<void> {
  const to = { scopeId: asScopeId(scope), sessionId: asSessionId('s') }
  await harness.createSession({ ...to, title: 'Planted' }, caller)
  for (const text of ['one', 'two']) await harness.enqueuePrompt({ ...to, text }, caller)
  const load = async () => {
    const row = await stores.scopes.find(asStorageKey(scope))
    return row && stores.sessions.find(row.key, to.sessionId)
  }
  await until('both runs have ended', async () => (await load())?.work.kind === 'idle')
  const parent = await load()
  if (parent) await plant(stores, { parent, id: 'child', at: parent.updatedAt })
}

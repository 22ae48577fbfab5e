import { lazyAssets } from './assets.ts'
import { defaultTabs } from './default-tabs.ts'
import { ASSETS, contentSecurityPolicy, page, startScript, type SubscriptionsProtocol } from './page.ts'
import type { Reply } from '../http/reply.ts'

export interface Graphiql {
  page(): Reply
  /** The file at `path`, or undefined when there is none; only its headers when the client has it already. */
  asset(path: string, knownEtag: string | undefined): Promise<Reply | undefined>
}

const headers = { 'content-security-policy': contentSecurityPolicy, 'cache-control': 'no-cache' }

const start: Reply = {
  status: 200,
  headers: { ...headers, 'content-type': 'text/javascript; charset=utf-8' },
  body: startScript,
}

/** GraphiQL on the address of the API, without anything from elsewhere. Nothing is loaded before somebody opens it. */
export function graphiql(endpoint: string, subscriptions: SubscriptionsProtocol): Graphiql {
  const assets = lazyAssets()
  return {
    page: () => ({
      status: 200,
      headers: { ...headers, 'content-type': 'text/html; charset=utf-8' },
      body: page({ endpoint, subscriptions, tabs: defaultTabs() }),
    }),
    async asset(path, knownEtag) {
      const name = path.slice(ASSETS.length)
      if (name === 'start.js') return start
      const asset = (await assets()).get(name)
      if (!asset) return undefined
      const isKnown = knownEtag === asset.etag
      return {
        status: isKnown ? 304 : 200,
        headers: { ...headers, 'content-type': asset.type, etag: asset.etag },
        body: isKnown ? '' : asset.body,
      }
    },
  }
}

import type { Tab } from './default-tabs.ts'

/** Where the files of GraphiQL are. */
export const ASSETS = '/graphiql/'

/**
 * Everything comes from the server itself, and no script stands in the page. Styles alone may: the editor writes its
 * own style elements.
 */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** By which subscriptions are sent. Only server-sent events come with the headers that are written in the page. */
export type SubscriptionsProtocol = 'WS' | 'SSE'

export interface PageOptions {
  readonly endpoint: string
  readonly subscriptions: SubscriptionsProtocol
  readonly tabs: readonly Tab[]
}

/** At the first visit the tabs are left in mid-animation, and would jump from below the pointer that presses them. */
const tabsStayInPlace = '.graphiql-tab { transform: none !important }'

/** The page of GraphiQL, with its default tabs. */
export const page = (shown: PageOptions): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>flexharness</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${ASSETS}graphiql.css">
    <style>${tabsStayInPlace}</style>
    <script type="application/json" id="options">${scriptJson(options(shown))}</script>
    <script src="${ASSETS}start.js" defer></script>
    <script src="${ASSETS}graphiql.js" defer></script>
  </head>
  <body class="no-focus-outline">
    <noscript>GraphiQL needs JavaScript.</noscript>
    <div id="root"></div>
  </body>
</html>
`

/**
 * Runs before GraphiQL is loaded: says where its workers are, and starts it once it is there.
 *
 * GraphiQL keeps its tabs in the browser, for all pages together, so that one with a subscription would overwrite what is
 * done in another. Here each page has its own, which is kept over a reload, and a new page begins with the latest one.
 * What is in the editors is kept beside the tabs, and becomes one more tab when it is not as in the open one; so it is
 * made the same, also at the first visit, and edits do not go into the address, from where they would come back.
 */
export const startScript = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => '${ASSETS}' + label + '.js',
}
addEventListener('DOMContentLoaded', () => {
  const options = JSON.parse(document.querySelector('#options').textContent)
  const tab = openTab() ?? options.defaultTabs?.[0]
  if (tab && !new URLSearchParams(location.search).has('query')) {
    storage.setItem('graphiql:query', tab.query ?? '')
    storage.setItem('graphiql:variables', tab.variables ?? '')
  }
  const root = document.querySelector('#root')
  YogaGraphiQL.renderYogaGraphiQL(root, { ...options, storage, onEditQuery: () => {} })
})
const storage = {
  getItem: (key) => sessionStorage.getItem(key) ?? localStorage.getItem(key),
  setItem(key, value) {
    sessionStorage.setItem(key, value)
    localStorage.setItem(key, value)
  },
  removeItem: (key) => storage.setItem(key, ''),
  clear() {
    for (const kept of [sessionStorage, localStorage]) {
      for (const key of Object.keys(kept)) if (key.startsWith('graphiql:')) kept.removeItem(key)
    }
  },
  get length() {
    return localStorage.length
  },
}
function openTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(storage.getItem('graphiql:tabState'))
    return tabs[activeTabIndex]
  } catch {
    return undefined
  }
}
`

const options = ({ endpoint, subscriptions, tabs }: PageOptions) => ({
  title: 'flexharness',
  endpoint,
  subscriptionsProtocol: subscriptions,
  ...(tabs.length > 0 && { defaultTabs: tabs }),
  shouldPersistHeaders: false,
})

/** JSON that cannot end the script element in which it stands. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

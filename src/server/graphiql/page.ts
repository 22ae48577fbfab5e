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

export interface PageOptions {
  readonly endpoint: string
  readonly tabs: readonly Tab[]
}

/** A tab's opening animation never ends, and would move it away from below the pointer that presses it. */
const tabsStayInPlace = '.graphiql-tab { transform: none !important }'

/** The page of GraphiQL, with its default tabs. */
export const page = ({ endpoint, tabs }: PageOptions): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>flexharness</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${ASSETS}graphiql.css">
    <style>${tabsStayInPlace}</style>
    <script type="application/json" id="options">${scriptJson(options(endpoint, tabs))}</script>
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
 * GraphiQL goes by what the browser has stored for it. At the first visit that is nothing, and then it would open the
 * first tab without its variables, and an empty one at the next visit; so the first tab is stored. And it would keep the
 * operation in the address, where the next page load would take it, with the variables of whichever tab was used last.
 */
export const startScript = `self.MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_module, label) => '${ASSETS}' + label + '.js',
}
addEventListener('DOMContentLoaded', () => {
  const options = JSON.parse(document.querySelector('#options').textContent)
  const [first] = options.defaultTabs ?? []
  const isLinked = new URLSearchParams(location.search).has('query')
  if (first && !isLinked && localStorage.getItem('graphiql:tabState') === null) {
    localStorage.setItem('graphiql:query', first.query)
    localStorage.setItem('graphiql:variables', first.variables ?? '')
  }
  options.onEditQuery = () => {}
  YogaGraphiQL.renderYogaGraphiQL(document.querySelector('#root'), options)
})
`

const options = (endpoint: string, tabs: readonly Tab[]) => ({
  title: 'flexharness',
  endpoint,
  subscriptionsProtocol: 'WS',
  ...(tabs.length > 0 && { defaultTabs: tabs }),
  shouldPersistHeaders: false,
})

/** JSON that cannot end the script element in which it stands. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

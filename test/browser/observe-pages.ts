import type { BrowserContext } from 'playwright-core'

/**
 * What the pages of a context do that they should not, as it happens: requests and sockets to anywhere but `origin`,
 * errors and warnings in the console, which is where breaches of the policy are told, and errors that nobody caught.
 */
export function observePages(context: BrowserContext, origin: string): readonly string[] {
  const found: string[] = []
  const host = new URL(origin).host
  const look = (what: string, address: string): void => {
    const url = new URL(address)
    if (['data:', 'blob:'].includes(url.protocol)) return
    if (url.host !== host) found.push(`${what} ${address}`)
  }
  context.on('request', (request) => look('request', request.url()))
  context.on('page', (page) => page.on('websocket', (socket) => look('socket', socket.url())))
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) found.push(`${message.type()} ${message.text()}`)
  })
  context.on('weberror', (error) => found.push(`uncaught ${error.error().message}`))
  return found
}

import type { IncomingMessage, ServerResponse } from 'node:http'

const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'accept, authorization, content-type',
  'access-control-max-age': '600',
}

/**
 * Lets pages of the listed origins read answers, and no others: without a list no page of another origin ever can.
 * True when the request was the question of a browser whether it may send another one, which is answered then.
 */
export function answerCrossOrigin(
  origins: readonly string[],
  { method, headers }: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { origin } = headers
  if (origin === undefined || !origins.includes(origin)) return false
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('vary', 'origin')
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false
  response.writeHead(204, PREFLIGHT).end()
  return true
}

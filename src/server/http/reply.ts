import type { ServerResponse } from 'node:http'
import { type HttpRefusal, refusalBody } from './http-refusal.ts'

type Headers = Readonly<Record<string, string>>

/** What every answer tells a browser: take it for what it says it is, keep it to this origin, and tell nobody of it. */
export const protectiveHeaders: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
}

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Uint8Array
}

/** Sends an answer whole. Does nothing when the client has gone. */
export function reply(response: ServerResponse, { status, headers, body }: Reply): void {
  if (response.destroyed || response.headersSent) return
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(response.req.method === 'HEAD' ? undefined : body)
}

export const refuse = (response: ServerResponse, refusal: HttpRefusal): void =>
  reply(response, {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
    body: refusalBody(refusal),
  })

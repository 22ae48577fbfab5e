import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { ToolError } from '../../../ports/tool-error.ts'
import type { Method } from './method.ts'

export interface WebRequest {
  readonly url: URL
  readonly method: Method
  /** Where to connect, and nowhere else, whatever the name in the URL means by now. */
  readonly addresses: readonly string[]
  readonly signal: AbortSignal
}

const headers = {
  'accept': 'text/*, application/json;q=0.9, */*;q=0.5',
  // What comes is what counts against the limit.
  'accept-encoding': 'identity',
  'user-agent': 'flexharness',
}

/**
 * The answer of a web server, with its body still to come; the connection is its own, and closes with it. No redirect is
 * followed, nothing is sent that says who asks. Rejects with a tool error, or with the signal's reason.
 */
export async function respond({ url, method, addresses, signal }: WebRequest): Promise<IncomingMessage> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp
  const lookup = to(addresses)
  const request = send({ ...urlToHttpOptions(url), method, headers, lookup, signal, agent: false })
  const { promise: response, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  // They stay: an error that comes with the body is the reader's to see, but would end the process without a listener.
  request.on('response', resolve).on('error', reject).on('close', () => reject(new Error('There was no answer.')))
  request.end()
  try {
    return await response
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(url, error)
  }
}

const to = (addresses: readonly string[]): LookupFunction => {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  return (_name, { all }, callback) => {
    const [first] = found
    if (all === true) callback(null, found)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/** Codes of the system, of TLS and of the parser of HTTP say nothing private; messages may. */
export function unreachable({ host }: URL, error: unknown): ToolError {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? ` (${error.code})` : ''
  return new ToolError(`${JSON.stringify(host)} gave no whole answer${code}.`)
}

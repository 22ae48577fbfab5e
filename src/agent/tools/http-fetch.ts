import type { IncomingMessage } from 'node:http'
import { type Tool, tool } from 'ai'
import { z } from 'zod'
import { LinkedController } from '../../kernel/abort.ts'
import type { Clock } from '../../ports/clock.ts'
import { ToolError } from '../../ports/tool-error.ts'
import { isPublicAddress } from './is-public-address.ts'
import { type AddressRules, checkedAddresses, systemResolve } from './web/checked-addresses.ts'
import { type Method, methods } from './web/method.ts'
import { respond, unreachable } from './web/respond.ts'
import { textBody } from './web/text-body.ts'

const MAX_URL = 8_192
const MAX_REDIRECTS = 5
const MAX_MS = 20_000
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308])

export interface HttpFetchOptions extends Partial<AddressRules> {
  readonly clock: Clock
}

interface Fetched {
  /** Where the answer came from in the end. */
  readonly url: string
  readonly status: number
  readonly contentType: string | null
  /** As the server says; null when it does not. */
  readonly contentLength: string | null
  /** Null when it is no text, or was not asked for. */
  readonly body: string | null
}

interface Fetch {
  readonly url: URL
  readonly method: Method
  readonly signal: AbortSignal
}

/**
 * The tool `http_fetch`: a page of the public web. Reaches no private address: each name is resolved here, on each redirect
 * again, and connected to at the very addresses that were checked.
 */
export function httpFetchTool({ clock, resolve = systemResolve, allow = isPublicAddress }: HttpFetchOptions): Tool {
  const rules = { resolve, allow }
  return tool({
    description:
      'Fetches a page or document from the public web by GET or HEAD. Shows text of at most 1 MiB, and of anything else its type.',
    inputSchema: z.object({
      url: z.string().max(MAX_URL).describe('An http:// or https:// URL'),
      method: z.enum(methods).optional().describe('GET when omitted'),
    }),
    // Changes nothing here, but tells others what is asked for.
    metadata: { readOnly: false, idempotent: true },
    execute: async ({ url, method = 'GET' }, { abortSignal }): Promise<Fetched> => {
      using fetch = new LinkedController(...(abortSignal ? [abortSignal] : []))
      const tooLate = () => fetch.abort(new ToolError('There was no whole answer within 20 seconds.'))
      const cancel = clock.after(MAX_MS, tooLate)
      try {
        return await fetched({ url: webUrl(url), method, signal: fetch.signal }, rules)
      } finally {
        cancel()
      }
    },
  })
}

async function fetched({ url, method, signal }: Fetch, rules: AddressRules): Promise<Fetched> {
  let current = url
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const addresses = await unlessAborted(checkedAddresses(current.hostname, rules), signal)
    const response = await respond({ url: current, method, addresses, signal })
    const { location } = response.headers
    if (!REDIRECTS.has(response.statusCode) || location === undefined) return shown({ url: current, method, signal }, response)
    response.destroy()
    current = webUrl(location, current)
  }
  throw new ToolError(`There were more than ${MAX_REDIRECTS} redirects.`)
}

async function shown({ url, method, signal }: Fetch, response: IncomingMessage): Promise<Fetched> {
  const { 'content-type': contentType = null, 'content-length': contentLength = null } = response.headers
  const about = { url: url.href, status: response.statusCode ?? 0, contentType, contentLength }
  if (method === 'HEAD') {
    response.destroy()
    return { ...about, body: null }
  }
  try {
    return { ...about, body: await textBody(response) }
  } catch (error) {
    signal.throwIfAborted()
    throw unreachable(url, error)
  }
}

function webUrl(text: string, from?: URL): URL {
  const url = URL.parse(text, from?.href)
  if (!url || !/^https?:$/.test(url.protocol)) throw new ToolError('Only http:// and https:// URLs can be fetched.')
  if (url.username !== '' || url.password !== '') throw new ToolError('A URL that is fetched must not name a user.')
  url.hash = ''
  return url
}

/** Names are resolved for as long as the system likes. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason as Error)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

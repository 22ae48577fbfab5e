import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../ports/clock.ts'
import type { Harness } from '../../runtime/harness.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { Graphiql } from '../graphiql/graphiql.ts'
import { ASSETS } from '../graphiql/page.ts'
import type { Yoga } from '../yoga/yoga.ts'
import { answerCrossOrigin } from './cross-origin.ts'
import { foreigner, type Neighbours } from './foreigner.ts'
import { answerGraphql } from './graphql-request.ts'
import { live, ready } from './health.ts'
import type { HttpRefusal } from './http-refusal.ts'
import { pathOf } from './path-of.ts'
import { protectiveHeaders, refuse, reply } from './reply.ts'

export interface RouterParts {
  readonly harness: Harness
  readonly clock: Clock
  readonly authenticator: Authenticator
  readonly yoga: Yoga
  /** Undefined when it is switched off. */
  readonly graphiql: Graphiql | undefined
  /** The path of the API. */
  readonly endpoint: string
  readonly neighbours: Neighbours
  readonly maxBodyBytes: number
}

/** Answers every HTTP request. What goes wrong on the way is answered with a masked error, if anybody is there. */
export function router(parts: RouterParts): (request: IncomingMessage, response: ServerResponse) => void {
  const refusalOf = foreigner(parts.neighbours)
  return (request, response) => {
    for (const [name, value] of Object.entries(protectiveHeaders)) response.setHeader(name, value)
    const refusal = refusalOf(request)
    if (refusal) {
      refuse(response, refusal)
      return
    }
    if (answerCrossOrigin(parts.neighbours.origins, request, response)) return
    answer(parts, request, response).catch((error: unknown) => {
      if (request.destroyed && !request.complete) return
      const { message, extensions } = parts.yoga.masked(error)
      const code = String(extensions['code'])
      refuse(response, { status: 500, code, message, extensions })
    })
  }
}

async function answer(parts: RouterParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method } = request
  const pathname = pathOf(request)
  const isRead = method === 'GET' || method === 'HEAD'
  if (pathname === parts.endpoint) {
    await answerEndpoint(parts, request, response)
  } else if (pathname === '/' && isRead) {
    reply(response, { status: 302, headers: { location: parts.endpoint }, body: '' })
  } else if (pathname === '/health/live' && isRead) {
    reply(response, live())
  } else if (pathname === '/health/ready' && isRead) {
    reply(response, await ready(parts.harness, parts.clock))
  } else if (parts.graphiql && pathname.startsWith(ASSETS) && isRead) {
    const asset = await parts.graphiql.asset(pathname, request.headers['if-none-match'])
    if (asset) reply(response, asset)
    else refuse(response, notFound)
  } else {
    refuse(response, notFound)
  }
}

async function answerEndpoint(parts: RouterParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, headers } = request
  const isBrowser = method === 'GET' && headers.accept?.includes('text/html') === true
  if (method !== 'GET' && method !== 'POST') refuse(response, methodNotAllowed)
  else if (parts.graphiql && isBrowser) reply(response, parts.graphiql.page())
  else await answerGraphql(parts, request, response)
}

const notFound: HttpRefusal = { status: 404, code: 'NOT_FOUND', message: 'There is nothing at this address.' }

const methodNotAllowed: HttpRefusal = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'Queries come by GET or POST, mutations by POST.',
  headers: { allow: 'GET, POST' },
}

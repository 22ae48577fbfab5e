import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Authenticator } from '../auth/authenticator.ts'
import { bearerToken } from '../auth/bearer-token.ts'
import { unauthenticated } from '../auth/unauthenticated.ts'
import type { Yoga } from '../yoga/yoga.ts'
import { parametersOfBody, parametersOfUrl, type ParametersReading } from './graphql-parameters.ts'
import { foreignMediaType } from './media-type.ts'
import { readBody } from './read-body.ts'
import { refuse } from './reply.ts'
import { sendResponse } from './send-response.ts'

interface Engine {
  readonly authenticator: Authenticator
  readonly yoga: Yoga
  readonly maxBodyBytes: number
}

/**
 * Answers one request to the API: a body of JSON, or a query in the URL, of somebody who is known: of a stranger not even
 * the body is read. Rejects when the client goes away before the request is whole, when it cannot be found out who it is,
 * or when the source of a stream fails.
 */
export async function answerGraphql(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { authenticator, yoga, maxBodyBytes } = engine
  const { method = 'GET', headers, url = '/', socket } = request
  const foreign = method === 'POST' ? foreignMediaType(request) : undefined
  if (foreign) {
    refuse(response, foreign)
    return
  }
  const { remoteAddress } = socket
  const principal = await authenticator.authenticate({ token: bearerToken(headers.authorization), remoteAddress })
  if (!principal) {
    refuse(response, unauthenticated)
    return
  }
  const reading = method === 'POST' ? await readPost(request, maxBodyBytes) : parametersOfUrl(url)
  if (!reading.ok) {
    refuse(response, reading.refusal)
    return
  }
  const asked = new yoga.Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string> })
  const { parameters } = reading
  await sendResponse(await yoga.answer(asked, { parameters, principal }), response)
}

async function readPost(request: IncomingMessage, maxBodyBytes: number): Promise<ParametersReading> {
  const body = await readBody(request, maxBodyBytes)
  return body.ok ? parametersOfBody(body.bytes) : body
}

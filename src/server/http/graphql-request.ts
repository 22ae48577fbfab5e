import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Yoga } from '../yoga/yoga.ts'
import { parametersOfBody, parametersOfUrl, type ParametersReading } from './graphql-parameters.ts'
import { foreignMediaType } from './media-type.ts'
import { readBody } from './read-body.ts'
import { refuse } from './reply.ts'
import { sendResponse } from './send-response.ts'

interface Engine {
  readonly yoga: Yoga
  readonly maxBodyBytes: number
}

/**
 * Answers one request to the API: a body of JSON, or a query in the URL. Rejects when the client goes away before the
 * request is whole, or when the source of a stream fails.
 */
export async function answerGraphql(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { yoga } = engine
  const { method = 'GET', headers, url = '/' } = request
  const reading = method === 'POST' ? await readPost(engine, request) : parametersOfUrl(url)
  if (!reading.ok) {
    refuse(response, reading.refusal)
    return
  }
  const asked = new yoga.Request(`http://${headers.host}${url}`, { method, headers: headers as Record<string, string> })
  await sendResponse(await yoga.answer(asked, { parameters: reading.parameters }), response)
}

async function readPost({ maxBodyBytes }: Engine, request: IncomingMessage): Promise<ParametersReading> {
  const refusal = foreignMediaType(request)
  if (refusal) return { ok: false, refusal }
  const body = await readBody(request, maxBodyBytes)
  return body.ok ? parametersOfBody(body.bytes) : body
}

import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/kernel/json.ts'

/** One thing that a streamed reply does, in OpenAI's wire format of streamed chat completions. */
export type Act =
  | { readonly text: string }
  | { readonly reasoning: string }
  /** The `finish_reason`. */
  | { readonly finish: string }
  | { readonly usage: { readonly input: number; readonly output: number; readonly reasoning?: number; readonly cached?: number } }
  /** The data of one event, as it is. */
  | { readonly raw: string }
  /** Says nothing until then. Ends early when the client goes away. */
  | { readonly until: Promise<unknown> }
  /** Breaks the connection. */
  | { readonly cut: true }

export type Reply =
  /** Ends with `[DONE]`, unless it was cut. */
  | { readonly stream: readonly Act[] }
  /** Carries `retry-after-ms: 1`, so that a client that tries again does so at once. */
  | { readonly status: number; readonly body: Json }

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
  /** How it ended: `closed` when the client went away before the reply was complete. */
  readonly ended: Promise<'answered' | 'closed' | 'cut'>
}

export interface OpenAiServer {
  /** The base URL for a provider. */
  readonly url: string
  readonly requests: readonly RecordedRequest[]
  /** The request with this index, once it has come. */
  request(index: number): Promise<RecordedRequest>
  /** Replies to the coming requests in this order; the last one replies to all that follow. */
  respondWith(...replies: readonly [Reply, ...Reply[]]): void
  /** Breaks all connections. */
  close(): Promise<void>
}

/** The usual reply: a text in pieces, a finish, token counts. */
export const answering = (...pieces: readonly string[]): Reply => ({
  stream: [...pieces.map((text) => ({ text })), { finish: 'stop' }, { usage: { input: 10, output: pieces.length } }],
})

/** A local server that speaks OpenAI's chat completions, as its script says. Replies 503 as long as there is none. */
export async function startOpenAiServer(): Promise<OpenAiServer> {
  const requests: RecordedRequest[] = []
  const awaited = new Map<number, PromiseWithResolvers<RecordedRequest>>()
  let script: readonly Reply[] = [{ status: 503, body: { error: { message: 'There is no script.' } } }]

  const server = createServer((incoming, response) => {
    const [reply, ...rest] = script
    if (rest.length > 0) script = rest
    void record(incoming, response).then((request) => {
      awaited.get(requests.push(request) - 1)?.resolve(request)
      return reply && send(response, reply)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    request: async (index) => {
      const coming = awaited.get(index) ?? Promise.withResolvers<RecordedRequest>()
      awaited.set(index, coming)
      return requests[index] ?? coming.promise
    },
    respondWith: (...replies) => {
      script = replies
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const cuts = new WeakSet<ServerResponse>()

async function record(incoming: IncomingMessage, response: ServerResponse): Promise<RecordedRequest> {
  const ended = new Promise<'answered' | 'closed' | 'cut'>((resolve) => {
    response.once('close', () => {
      if (cuts.has(response)) resolve('cut')
      else resolve(response.writableFinished ? 'answered' : 'closed')
    })
  })
  const { method = '', url = '', headers } = incoming
  const body = JSON.parse(Buffer.concat(await incoming.toArray()).toString()) as Json
  return { method, path: url, headers, body, ended }
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if ('status' in reply) {
    response.writeHead(reply.status, { 'content-type': 'application/json', 'retry-after-ms': '1' })
    response.end(JSON.stringify(reply.body))
    return
  }
  const gone = new Promise((resolve) => {
    response.once('close', resolve)
  })
  for (const act of reply.stream) {
    if ('until' in act) await Promise.race([act.until, gone])
    else if ('cut' in act) return cut(response)
    else await write(response, dataOf(act), gone)
    if (response.destroyed) return
  }
  await write(response, '[DONE]', gone)
  response.end()
}

/** What was written before has left this process by then. */
async function write(response: ServerResponse, data: string, gone: Promise<unknown>): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  const written = new Promise<void>((resolve) => {
    response.write(`data: ${data}\n\n`, () => resolve())
  })
  await Promise.race([written, gone])
}

function cut(response: ServerResponse): void {
  cuts.add(response)
  response.destroy()
}

type Said = Exclude<Act, { until: unknown } | { cut: true }>

function dataOf(act: Said): string {
  if ('raw' in act) return act.raw
  if ('text' in act) return chunk({ choices: [choice({ content: act.text })] })
  if ('reasoning' in act) return chunk({ choices: [choice({ reasoning_content: act.reasoning })] })
  if ('finish' in act) return chunk({ choices: [{ ...choice({}), finish_reason: act.finish }] })
  const { input, output, reasoning = 0, cached = 0 } = act.usage
  const usage = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
  return chunk({ choices: [], usage })
}

const choice = (delta: { readonly [key: string]: Json }) => ({ index: 0, delta, finish_reason: null })

const chunk = (fields: { readonly [key: string]: Json }): string =>
  JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'test-model', ...fields })

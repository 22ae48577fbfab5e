import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../src/kernel/json.ts'

/** One thing that a streamed reply does. */
export type Act =
  /** One server-sent event. */
  | { readonly data: string; readonly event?: string }
  /** What is written, as it is. */
  | { readonly bytes: string }
  /** Sends the headers now, before the first piece. */
  | { readonly headers: true }
  /** Says nothing until then. Ends early when the client goes away. */
  | { readonly until: Promise<unknown> }
  /** Breaks the connection. */
  | { readonly cut: true }

export type Reply =
  /** An event stream, which ends after the last act. */
  | { readonly stream: readonly Act[] }
  | { readonly status: number; readonly body: Json; readonly headers?: Readonly<Record<string, string>> }

export interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Json
  /** How it ended: `closed` when the client went away before the reply was complete. */
  readonly ended: Promise<'answered' | 'closed' | 'cut'>
}

export interface ScriptedServer {
  readonly origin: string
  readonly requests: readonly RecordedRequest[]
  /** The request with this index, once it has come. */
  request(index: number): Promise<RecordedRequest>
  /** Replies to the coming requests in this order; the last one replies to all that follow. */
  respondWith(...replies: readonly [Reply, ...Reply[]]): void
  /** Breaks all connections. */
  close(): Promise<void>
}

/** A local server that replies as its script says. Replies 503 as long as there is none. */
export async function startScriptedServer(): Promise<ScriptedServer> {
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
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
    const { status, body, headers } = reply
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
    return
  }
  const gone = new Promise((resolve) => {
    response.once('close', resolve)
  })
  for (const act of reply.stream) {
    if ('until' in act) await Promise.race([act.until, gone])
    else if ('cut' in act) return cut(response)
    else await write(response, act, gone)
    if (response.destroyed) return
  }
  begin(response)
  response.end()
}

/** What was written before has left this process by then. */
async function write(
  response: ServerResponse,
  act: Exclude<Act, { until: unknown } | { cut: true }>,
  gone: Promise<unknown>,
): Promise<void> {
  begin(response)
  if ('headers' in act) return response.flushHeaders()
  const text = 'bytes' in act ? act.bytes : eventOf(act)
  const written = new Promise<void>((resolve) => {
    response.write(text, () => resolve())
  })
  await Promise.race([written, gone])
}

const eventOf = ({ event, data }: Extract<Act, { data: string }>): string =>
  `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`

function begin(response: ServerResponse): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function cut(response: ServerResponse): void {
  cuts.add(response)
  response.destroy()
}

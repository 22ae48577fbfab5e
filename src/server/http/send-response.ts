import type { ServerResponse } from 'node:http'

const STREAM = 'text/event-stream'

/**
 * Sends a fetch Response. A stream of events goes out at the pace of the client, and its source is let go as soon as
 * the client is gone. Rejects when the source of the stream fails, and cuts the connection, so that the client notices.
 */
export async function sendResponse(response: Response, to: ServerResponse): Promise<void> {
  const { body } = response
  if (to.destroyed) {
    await body?.cancel()
    return
  }
  const headers = { ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
  if (body && response.headers.get('content-type')?.startsWith(STREAM)) {
    const { 'content-encoding': _none, ...rest } = headers as Record<string, string>
    to.writeHead(response.status, { ...rest, 'x-accel-buffering': 'no' })
    await stream(body, to)
    return
  }
  const text = await response.text()
  if (to.destroyed) return
  to.writeHead(response.status, { ...headers, 'content-length': Buffer.byteLength(text) })
  to.end(text)
}

async function stream(body: ReadableStream<Uint8Array>, to: ServerResponse): Promise<void> {
  const reader = body.getReader()
  const gone = Promise.withResolvers<void>()
  to.once('close', () => {
    gone.resolve()
    reader.cancel().catch(() => undefined)
  })
  try {
    for (let piece = await reader.read(); !piece.done && !to.destroyed; piece = await reader.read()) {
      if (!to.write(piece.value)) await Promise.race([drained(to), gone.promise])
    }
    to.end()
  } catch (error) {
    to.destroy()
    throw error
  }
}

const drained = (to: ServerResponse): Promise<void> => new Promise((resolve) => void to.once('drain', resolve))

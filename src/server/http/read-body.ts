import type { IncomingMessage } from 'node:http'
import type { HttpRefusal } from './http-refusal.ts'

type Body = { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly refusal: HttpRefusal }

/**
 * Reads a body of at most `maxBytes`. A longer one is refused as soon as that is known; what still comes of it is
 * thrown away, so that the client can read the answer. Rejects when the client goes away in the middle.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const tooLarge = (): Body => {
    request.resume()
    const message = `The body has more than ${maxBytes} bytes.`
    return { ok: false, refusal: { status: 413, code: 'BODY_TOO_LARGE', message } }
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge()
  if (request.destroyed) throw wentAway()
  const { promise, resolve, reject } = Promise.withResolvers<Body>()
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer) => {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
    else {
      chunks.length = 0
      resolve(tooLarge())
    }
  })
  request.once('end', () => resolve({ ok: true, bytes: Buffer.concat(chunks) }))
  request.once('error', reject)
  request.once('close', () => reject(wentAway()))
  return promise
}

const wentAway = (): Error => new Error('The client went away before its request was complete.')

import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type HttpRefusal, refusalBody } from '../http/http-refusal.ts'

/** Answers an upgrade that is refused with plain HTTP, and ends the connection. */
export function refuseUpgrade(socket: Duplex, refusal: HttpRefusal): void {
  const body = refusalBody(refusal)
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  socket.once('error', () => socket.destroy())
  socket.once('finish', () => socket.destroy())
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

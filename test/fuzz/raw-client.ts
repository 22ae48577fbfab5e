import { createConnection, type Socket } from 'node:net'
import { framesIn, type Received } from './frames.ts'

const HANDSHAKE = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Protocol: graphql-transport-ws',
]

/** A client that writes bytes, and reads what comes until the connection ends. */
export interface RawClient {
  readonly socket: Socket
  /** Resolves when the connection has ended, however. */
  readonly ended: Promise<void>
  /** All that has come. */
  readonly received: () => Buffer
  /** Resolves with the next bytes, or when the connection has ended. */
  readonly more: () => Promise<void>
}

export function rawClient(url: string): RawClient {
  const { hostname, port } = new URL(url)
  const socket = createConnection({ host: hostname, port: Number(port), allowHalfOpen: true })
  const chunks: Buffer[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const go of waiting) go()
    waiting.clear()
  }
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    wake()
  })
  socket.once('end', () => socket.end())
  void ended.then(wake)
  return {
    socket,
    ended,
    received: () => Buffer.concat(chunks),
    more: () => (socket.destroyed ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
  }
}

/** One that has asked for a WebSocket; `changed` may change the lines with which it asks. */
export function upgrading(
  url: string,
  changed: (lines: readonly string[]) => readonly string[] = (lines) => lines,
): RawClient {
  const client = rawClient(url)
  client.socket.write(
    `${['GET /graphql HTTP/1.1', `Host: ${new URL(url).host}`, ...changed(HANDSHAKE)].join('\r\n')}\r\n\r\n`,
  )
  return client
}

export interface Conversation {
  /** Of the handshake's answer; 0 while there is none. */
  readonly status: number
  readonly frames: readonly Received[]
}

/** What a server has said to a client that asked for a WebSocket. */
export function conversationOf(bytes: Buffer): Conversation {
  const end = bytes.indexOf('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(bytes.toString('latin1', 0, 20))?.[1] ?? 0)
  return { status, frames: status === 101 && end >= 0 ? framesIn(bytes.subarray(end + 4)).frames : [] }
}

import { once } from 'node:events'
import { WebSocket } from 'ws'

interface Message {
  readonly type: string
  readonly id?: string
  readonly payload?: unknown
}

export interface RawSocket {
  readonly socket: WebSocket
  readonly messages: readonly Message[]
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>
  readonly send: (message: object | string) => void
  readonly subscribe: (id: string, query: string, variables?: object) => void
  /** The first message that fits, now or later. */
  readonly message: (fits: (message: Message) => boolean) => Promise<Message>
}

/** A WebSocket that says what it is told to, for what a well-behaved client would not say. */
export async function rawSocket(url: string, protocol: string | null = 'graphql-transport-ws'): Promise<RawSocket> {
  const address = url.replace('http:', 'ws:')
  const socket = protocol === null ? new WebSocket(address) : new WebSocket(address, protocol)
  const messages: Message[] = []
  const waiting = new Set<() => void>()
  socket.on('message', (data: Buffer) => {
    messages.push(JSON.parse(data.toString()) as Message)
    for (const look of waiting) look()
  })
  socket.on('error', () => undefined)
  const closed = new Promise<{ readonly code: number; readonly reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  await once(socket, 'open')
  const send = (message: object | string): void => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
  }
  return {
    socket,
    messages,
    closed,
    send,
    subscribe: (id, query, variables = {}) => send({ id, type: 'subscribe', payload: { query, variables } }),
    message: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = messages.find(fits)
          if (!found) return
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        void closed.then(({ code, reason }) => reject(new Error(`It was closed: ${code} ${reason}`)))
        look()
      }),
  }
}

/** One that has been let in. */
export async function acknowledged(url: string): Promise<RawSocket> {
  const raw = await rawSocket(url)
  raw.send({ type: 'connection_init' })
  await raw.message(({ type }) => type === 'connection_ack')
  return raw
}

/*
 * GraphQL over WebSocket (`graphql-transport-ws`). Owns the sockets from their upgrade to their end: at most
 * `maxSockets` of them, each with a heartbeat, each frame sent at the pace of the client. Speaks no other subprotocol.
 * `close` tells every client that the server goes away; nothing of a socket is left after it.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { CloseCode, handleProtocols, makeServer } from 'graphql-ws'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import type { TransportLimits } from '../transport-limits.ts'
import type { Yoga } from '../yoga/yoga.ts'
import { heartbeat } from './heartbeat.ts'
import { OperationNames } from './operation-names.ts'
import { refuseUpgrade } from './refuse-upgrade.ts'
import { type Connection, socketOperations } from './socket-operations.ts'

const GOING_AWAY = 1001
const FAREWELL_STEP_MS = 10

export interface SocketServerParts {
  readonly yoga: Yoga
  readonly authenticator: Authenticator
  readonly limits: TransportLimits
  readonly clock: Clock
  readonly log: Log
}

interface Receiver {
  readonly socket: WebSocket
  readonly connection: Connection
  readonly handle: (text: string) => Promise<void>
}

export class SocketServer {
  readonly #parts: SocketServerParts
  readonly #connections = new Map<WebSocket, Connection>()
  readonly #sockets: WebSocketServer
  readonly #protocol: ReturnType<typeof makeServer<Record<string, unknown>, Connection>>

  constructor(parts: SocketServerParts) {
    this.#parts = parts
    this.#protocol = makeServer(socketOperations(parts))
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: parts.limits.maxBodyBytes,
      handleProtocols,
    })
  }

  /** Sockets that are open. */
  get size(): number {
    return this.#connections.size
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#connections.size >= this.#parts.limits.maxSockets) {
      refuseUpgrade(socket, { status: 503, code: 'TOO_MANY_CONNECTIONS', message: 'Too many WebSockets are open.' })
      return
    }
    this.#sockets.handleUpgrade(request, socket, head, (opened) => this.#accept(opened, request.socket.remoteAddress))
  }

  /** Resolves when no operation is under way, or after `farewellMs`. */
  async whenIdle(): Promise<void> {
    await this.#until(() => [...this.#connections.values()].every(({ operations }) => operations.size === 0))
  }

  /** Tells every client that the server goes away; cuts those that have not gone after `farewellMs`. */
  async close(): Promise<void> {
    for (const socket of this.#connections.keys()) socket.close(GOING_AWAY, 'Going away')
    await this.#until(() => this.#connections.size === 0)
    for (const socket of this.#connections.keys()) socket.terminate()
  }

  #accept(socket: WebSocket, remoteAddress: string | undefined): void {
    const { limits, clock, log } = this.#parts
    const connection: Connection = { operations: new OperationNames(), remoteAddress }
    this.#connections.set(socket, connection)
    const heart = heartbeat({ socket, clock, limits, onCut: (why) => log.info({ why }, 'a WebSocket was cut') })
    socket.on('error', (error) => log.info({ err: error }, 'a WebSocket failed'))

    const closed = this.#protocol.opened(
      {
        protocol: socket.protocol,
        // What cannot be sent is nobody's any more: the end of the connection follows, and is what counts.
        send: (frame) => heart.send(connection.operations.written(frame)).catch(() => undefined),
        close: (code, reason) => socket.close(code, reason),
        onMessage: (handle) =>
          void socket.on('message', (data) => this.#receive(textOf(data), { socket, connection, handle })),
      },
      connection,
    )
    socket.once('close', (code, reason) => {
      heart.stop()
      this.#connections.delete(socket)
      closed(code, reason.toString()).catch((error: unknown) => log.error({ err: error }, 'a WebSocket ended badly'))
    })
  }

  #receive(text: string, { socket, connection: { operations }, handle }: Receiver): void {
    const incoming = operations.read(text)
    if (incoming.kind === 'taken') {
      socket.close(CloseCode.SubscriberAlreadyExists, 'An operation with this id goes on')
      return
    }
    if (incoming.kind === 'invalid') {
      socket.close(CloseCode.BadRequest, 'Invalid message received')
      return
    }
    const { operation } = incoming
    handle(incoming.text)
      .catch((error: unknown) => {
        this.#parts.log.warn({ err: error }, 'a message of a WebSocket could not be handled')
        socket.close(CloseCode.InternalServerError, 'Internal server error')
      })
      .finally(() => operation !== undefined && operations.end(operation))
  }

  async #until(isDone: () => boolean): Promise<void> {
    const { clock, limits } = this.#parts
    const deadline = clock.monotonic() + limits.farewellMs
    while (!isDone() && clock.monotonic() < deadline) await clock.sleep(FAREWELL_STEP_MS)
  }
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString()
}

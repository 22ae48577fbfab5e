/*
 * The harness on HTTP and WebSocket. Owns the sockets of its clients, and the listening socket when it was asked to
 * listen; the harness and its stores belong to the caller. After `close` nothing of any client is left.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/telemetry.ts'
import type { Harness } from '../runtime/harness.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { systemIds } from '../runtime/system-ids.ts'
import type { Authenticator } from './auth/authenticator.ts'
import { localAuthenticator } from './auth/local-authenticator.ts'
import { isLoopback } from './config/is-loopback.ts'
import { graphiql } from './graphiql/graphiql.ts'
import { foreigner } from './http/foreigner.ts'
import type { HttpRefusal } from './http/http-refusal.ts'
import { pathOf } from './http/path-of.ts'
import { router } from './http/router.ts'
import { defaultTransportLimits, type TransportLimits } from './transport-limits.ts'
import { refuseUpgrade } from './ws/refuse-upgrade.ts'
import { SocketServer } from './ws/socket-server.ts'
import { createYoga } from './yoga/yoga.ts'

export interface GraphQLServerOptions {
  readonly harness: Harness
  readonly log: Log
  /** Host headers that are answered beside loopback names and the address that a connection has reached. */
  readonly hosts?: readonly string[]
  /** Origins of web pages that may use the API beside those of the hosts. */
  readonly origins?: readonly string[]
  /** GraphiQL for browsers that open the endpoint; on when absent. */
  readonly graphiql?: 'on' | 'off'
  readonly limits?: Partial<TransportLimits>
  /** Tells who callers are. When absent, whoever calls from this machine may do everything, and nobody else anything. */
  readonly authenticator?: Authenticator
  readonly clock?: Clock
  readonly ids?: Ids
}

export interface GraphQLServer {
  /** The path of the API. */
  readonly endpoint: string
  /** For the `request` event of an HTTP server of the application. */
  readonly handle: (request: IncomingMessage, response: ServerResponse) => void
  /** For its `upgrade` event. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** WebSockets that are open. */
  readonly sockets: number
  /**
   * Listens on an HTTP server of its own. Answers the URL of the API; rejects when the address cannot be had, and without
   * an authenticator for any address that others than this machine can reach.
   */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** Takes no new connection; those that are there go on. */
  stopListening(): void
  /** Ends every connection: politely first. Close the harness before, so that its subscriptions have ended. */
  close(): Promise<void>
}

const ENDPOINT = '/graphql'
const HEADERS_MS = 10_000
const CHECK_MS = 5_000

/** Serves a harness. Nothing listens until `listen`, or until the application mounts `handle` and `upgrade`. */
export function createGraphQLServer(options: GraphQLServerOptions): GraphQLServer {
  const { harness, log, clock = systemClock, ids = systemIds, authenticator = localAuthenticator } = options
  const limits = { ...defaultTransportLimits, ...options.limits }
  const neighbours = { hosts: options.hosts ?? [], origins: options.origins ?? [] }
  const refusalOf = foreigner(neighbours)
  const yoga = createYoga({ harness, log, ids, endpoint: ENDPOINT })
  const sockets = new SocketServer({ yoga, authenticator, limits, clock, log })
  let door: 'open' | 'closed' = 'open'
  let server: Server | undefined
  let ended: Promise<void> | undefined

  const handle = router({
    harness,
    clock,
    authenticator,
    yoga,
    neighbours,
    endpoint: ENDPOINT,
    graphiql: options.graphiql === 'off' ? undefined : graphiql(ENDPOINT, options.authenticator ? 'SSE' : 'WS'),
    maxBodyBytes: limits.maxBodyBytes,
  })

  const refusalOfUpgrade = (request: IncomingMessage): HttpRefusal | undefined => {
    if (door === 'closed') return stopping
    return refusalOf(request) ?? (pathOf(request) === ENDPOINT ? undefined : nothingThere)
  }

  const upgrade: GraphQLServer['upgrade'] = (request, socket, head) => {
    const refusal = refusalOfUpgrade(request)
    if (refusal) refuseUpgrade(socket, refusal)
    else sockets.upgrade(request, socket, head)
  }

  /** Resolves when the last connection has ended. */
  const stopListening = async (): Promise<void> => {
    door = 'closed'
    if (server?.listening) await promisify(server.close.bind(server))()
  }

  /** A connection that is kept for another request holds up the end, once its last answer is out. */
  const thenMaybeLeave = (_request: IncomingMessage, response: ServerResponse): void => {
    response.once('finish', () => {
      if (door === 'closed') server?.closeIdleConnections()
    })
  }

  return {
    endpoint: ENDPOINT,
    handle,
    upgrade,
    get sockets() {
      return sockets.size
    },
    async listen({ host, port }) {
      if (!options.authenticator && !isLoopback(host)) throw new Error(`Listening on ${host} needs an authenticator.`)
      server = httpServer(limits).on('request', handle).on('request', thenMaybeLeave).on('upgrade', upgrade)
      await listening(server, { host, port })
      const { port: taken } = server.address() as AddressInfo
      return `http://${host.includes(':') ? `[${host}]` : host}:${taken}${ENDPOINT}`
    },
    stopListening() {
      ended ??= stopListening()
    },
    async close() {
      ended ??= stopListening()
      await sockets.whenIdle()
      await sockets.close()
      const cut = clock.after(limits.farewellMs, () => server?.closeAllConnections())
      await ended
      cut()
    },
  }
}

const nothingThere: HttpRefusal = { status: 404, code: 'NOT_FOUND', message: 'No WebSocket is served at this address.' }

const stopping: HttpRefusal = { status: 503, code: 'SHUTTING_DOWN', message: 'The server is stopping.' }

function httpServer(limits: TransportLimits): Server {
  const server = createServer({
    requestTimeout: limits.requestMs,
    headersTimeout: Math.min(limits.requestMs, HEADERS_MS),
    keepAliveTimeout: limits.stallMs,
    connectionsCheckingInterval: CHECK_MS,
    // Other upgrades, such as that to HTTP/2, are offers which may be ignored.
    shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === 'websocket',
  })
  server.maxConnections = limits.maxConnections
  server.timeout = limits.stallMs
  return server
}

async function listening(server: Server, address: { readonly host: string; readonly port: number }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(address, resolve)
  await promise
  server.off('error', reject)
}

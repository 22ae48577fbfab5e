import type { IncomingMessage } from 'node:http'
import type { HttpRefusal } from './http-refusal.ts'

/** Whom a server answers beside itself. Hosts are `HOST` or `HOST:PORT`, as a Host header has them. */
export interface Neighbours {
  readonly hosts: readonly string[]
  readonly origins: readonly string[]
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'] as const
const HTTP_PORT = 80

/**
 * Turns away what a web page of somebody else has sent, to HTTP or to a WebSocket, and what came under a name that is
 * not the server's own: a page must neither drive a local server nor read from it by a name that it points at it.
 * A name of its own is a loopback name, or the address that the connection has reached, with the port.
 */
export const foreigner =
  ({ hosts, origins }: Neighbours) =>
  (request: IncomingMessage): HttpRefusal | undefined => {
    const { host = '', origin, 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers
    const own = ownHosts(request)
    if (!includes([...own, ...hosts], host)) return foreignHost
    if (origin === undefined) return isForeignSite(site) && mode !== 'navigate' ? foreignOrigin : undefined
    const pages = [...own.map(http), ...hosts.map(http), ...hosts.map(https), ...origins]
    return includes(pages, origin) ? undefined : foreignOrigin
  }

const http = (host: string): string => `http://${host}`
const https = (host: string): string => `https://${host}`

const includes = (names: readonly string[], name: string): boolean =>
  names.some((known) => known.toLowerCase() === name.toLowerCase())

const foreignHost: HttpRefusal = {
  status: 421,
  code: 'MISDIRECTED_REQUEST',
  message: 'The Host header does not name this server. HARNESS_HOSTS allows more names.',
}

const foreignOrigin: HttpRefusal = {
  status: 403,
  code: 'FORBIDDEN',
  message: 'Web pages of this origin may not use this server. HARNESS_ORIGINS allows more origins.',
}

/** A page of another site can send some requests without an Origin; browsers say so in another header. */
const isForeignSite = (site: string | string[] | undefined): boolean => site === 'cross-site' || site === 'same-site'

function ownHosts({ socket }: IncomingMessage): readonly string[] {
  const names = [...LOOPBACK_NAMES, literal(socket.localAddress ?? '')]
  const withPort = names.map((name) => `${name}:${socket.localPort}`)
  return socket.localPort === HTTP_PORT ? [...names, ...withPort] : withPort
}

function literal(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  return plain.includes(':') ? `[${plain}]` : plain
}

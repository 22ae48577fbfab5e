import type { Principal } from '../../domain/access/principal.ts'

/** What is known of whoever sends a request, or opens a WebSocket. */
export interface Credentials {
  /** What was said after `Bearer`; undefined when nothing was. */
  readonly token: string | undefined
  /** The other end of the connection; undefined when there is none any more, or none with an address. */
  readonly remoteAddress: string | undefined
}

/** Tells who it is. The one place that knows how; everybody else goes by the principal. */
export interface Authenticator {
  /** Undefined for a stranger. Rejects when it cannot be found out; then nobody is let in. */
  authenticate(credentials: Credentials): Promise<Principal | undefined>
}

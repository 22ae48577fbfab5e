/** How much of the transport one client can take. Times are milliseconds. */
export interface TransportLimits {
  /** Bytes of a request's body, and of a WebSocket message. */
  readonly maxBodyBytes: number
  /** TCP connections of all kinds. */
  readonly maxConnections: number
  readonly maxSockets: number
  readonly maxOperationsPerSocket: number
  /** From a WebSocket's opening to its `connection_init`. */
  readonly initMs: number
  /** Between two pings. */
  readonly pingMs: number
  /** A client that takes nothing, or says nothing, for so long is cut. */
  readonly stallMs: number
  /** For a request to arrive whole. */
  readonly requestMs: number
  /** For clients to go, once they were told to. */
  readonly farewellMs: number
}

export const defaultTransportLimits: TransportLimits = {
  maxBodyBytes: 4 * 1024 * 1024,
  maxConnections: 8192,
  maxSockets: 4096,
  maxOperationsPerSocket: 100,
  initMs: 10_000,
  pingMs: 12_000,
  stallMs: 30_000,
  requestMs: 30_000,
  farewellMs: 2_000,
}

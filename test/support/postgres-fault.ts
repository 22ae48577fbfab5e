/** What happens to a statement, or to the connection on which it is sent. */
export type Fault =
  /** The connection is cut before the server hears it. */
  | { readonly kind: 'cutBefore'; readonly by: Cut }
  /** The server carries it out, and the connection is cut instead of bringing the answer. */
  | { readonly kind: 'cutAfter'; readonly by: Cut }
  /** The client is cut off at once, and the server hears it later. */
  | { readonly kind: 'cutAndDeliver'; readonly by: Cut; readonly afterMs: number }
  /** The server carries it out, and nothing ever comes back. */
  | { readonly kind: 'silence' }
  /** The server hears it later, and answers. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The connection is cut after so many messages, of whichever side. */
  | { readonly kind: 'cutLater'; readonly by: Cut; readonly messages: number }

/** An end of the stream, or a reset. */
export type Cut = 'FIN' | 'RST'

/** Is told each statement before the server hears it. */
export type FaultPlan = (sql: string) => Fault | undefined

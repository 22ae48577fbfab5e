import type { MessageId, RunId, SessionKey } from '../../kernel/ids.ts'
import type { Message, Part } from '../../domain/message/message.ts'
import type { Purge } from './purge.ts'

export interface MessagesQuery {
  readonly sessionKey: SessionKey
  readonly runId?: RunId
  /** Exclusive bounds on the message index. */
  readonly after?: number
  readonly before?: number
  /** `last` takes the page from the end; the answer is oldest first all the same. */
  readonly take: 'first' | 'last'
  readonly limit: number
}

export interface MessageKey {
  readonly sessionKey: SessionKey
  readonly index: number
}

export interface PartKey extends MessageKey {
  readonly partIndex: number
}

export interface MessageStore extends Purge {
  /** Oldest first; one answer a query, in their order. */
  pages(queries: readonly MessagesQuery[]): Promise<readonly (readonly Message[])[]>
  findMany(ids: readonly MessageId[]): Promise<readonly Message[]>
  /** All parts of these messages, oldest first. A part that still streams has the text that is durable so far. */
  parts(messages: readonly MessageKey[]): Promise<readonly Part[]>
  findParts(keys: readonly PartKey[]): Promise<readonly Part[]>
}

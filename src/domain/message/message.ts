import type { MessageId, PartId, RunId, SessionKey } from '../../kernel/ids.ts'

export type Role = 'USER' | 'ASSISTANT'

/** One message of a conversation. Its parts are read apart. */
export interface Message {
  readonly sessionKey: SessionKey
  /** Position in the session's conversation, from 0, without gaps. */
  readonly index: number
  readonly messageId: MessageId
  readonly runId: RunId
  readonly role: Role
  readonly createdAt: number
  readonly updatedAt: number
}

export type PartStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED'

export type PartBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'reasoning'; readonly text: string }
  | {
      readonly kind: 'attachment'
      readonly mediaType: string
      readonly filename: string | null
      /** The content as a `data:` URL. */
      readonly url: string
    }

export type StreamingKind = 'text' | 'reasoning'

/** One part of a message. Once it is not `RUNNING` it never changes. */
export interface Part {
  readonly sessionKey: SessionKey
  readonly messageIndex: number
  /** Position in its message, from 0, without gaps. */
  readonly partIndex: number
  readonly partId: PartId
  readonly status: PartStatus
  /** While it streams, the text that is durable so far. */
  readonly body: PartBody
  readonly startedAt: number
  readonly finishedAt: number | null
}

/** A part of the active run that still grows. Its text is with the run's executor. */
export interface OpenPart {
  readonly partIndex: number
  readonly kind: StreamingKind
  readonly startedAt: number
}

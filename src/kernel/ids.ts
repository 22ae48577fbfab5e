declare const brand: unique symbol
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name }

/** The public id of a scope, as a caller names it. Two scope ids may resolve to one storage key. */
export type ScopeId = Branded<string, 'ScopeId'>
/** The name under which a scope's data is stored. */
export type StorageKey = Branded<string, 'StorageKey'>
export type SessionId = Branded<string, 'SessionId'>
export type GenerationId = Branded<string, 'GenerationId'>
export type QueueId = Branded<string, 'QueueId'>
export type RunId = Branded<string, 'RunId'>
export type MessageId = Branded<string, 'MessageId'>
export type PartId = Branded<string, 'PartId'>
export type PermissionId = Branded<string, 'PermissionId'>
/** Names the intent to execute one tool call. */
export type IntentId = Branded<string, 'IntentId'>
/** Names one commit group for as long as somebody may ask whether it was committed. */
export type WriteId = Branded<string, 'WriteId'>

/** Integer row key of a scope (storage key) in the store. Never shown to clients. */
export type ScopeKey = Branded<number, 'ScopeKey'>
/** Integer row key of one generation of a session. Never reused, never shown to clients. */
export type SessionKey = Branded<number, 'SessionKey'>

/** The incarnation of a session id. `generationSequence` is the scope revision that created it. */
export interface Generation {
  readonly generationId: GenerationId
  readonly generationSequence: number
}

/** A run has a user message (ordinal 0), an assistant message (ordinal 1), and one more user message per steered prompt. */
export const messageIdOf = (runId: RunId, ordinal: number): MessageId => `${runId}.${ordinal}` as MessageId

export const partIdOf = (messageId: MessageId, partIndex: number): PartId => `${messageId}.${partIndex}` as PartId

/** A call is a part of its run's assistant message, so its place there names it. */
export const intentIdOf = (runId: RunId, partIndex: number): IntentId => `${runId}.call.${partIndex}` as IntentId

// A string becomes an id here, when it is new or was checked at an edge, and nowhere else.
export const asScopeId = (text: string): ScopeId => text as ScopeId
export const asStorageKey = (text: string): StorageKey => text as StorageKey
export const asSessionId = (text: string): SessionId => text as SessionId
export const asGenerationId = (text: string): GenerationId => text as GenerationId
export const asQueueId = (text: string): QueueId => text as QueueId
export const asRunId = (text: string): RunId => text as RunId
export const asPermissionId = (text: string): PermissionId => text as PermissionId
export const asIntentId = (text: string): IntentId => text as IntentId
export const asWriteId = (text: string): WriteId => text as WriteId
export const asScopeKey = (key: number): ScopeKey => key as ScopeKey
export const asSessionKey = (key: number): SessionKey => key as SessionKey

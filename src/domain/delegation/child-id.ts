import { asSessionId, type RunId, type SessionId, type StorageKey } from '../../kernel/ids.ts'
import { digest } from '../../kernel/json.ts'

/** The call that makes a child. */
export interface Origin {
  readonly storageKey: StorageKey
  readonly parentSessionId: SessionId
  readonly parentRunId: RunId
  readonly toolCallId: string
}

/** The same call always makes the same child. */
export const childIdOf = ({ storageKey, parentSessionId, parentRunId, toolCallId }: Origin): SessionId =>
  asSessionId(
    `subagent_${digest(['flexharness-subagent-v1', storageKey, parentSessionId, parentRunId, toolCallId])}`,
  )

import type { Decision } from '../../kernel/decider.ts'
import type { RefusalOf } from '../../kernel/refusal.ts'
import type { ContentEvent } from './content.ts'

export type ContentRefusal =
  | RefusalOf<'QUEUE_FULL'>
  | RefusalOf<'SESSION_BUSY'>
  | RefusalOf<'VALIDATION_FAILED'>
  | RefusalOf<'PERMISSION_STATE'>
  | RefusalOf<'RECONCILIATION_STATE'>

export type ContentDecision = Decision<ContentEvent, ContentRefusal>

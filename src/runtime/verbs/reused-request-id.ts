import { invalid } from '../../kernel/refusal.ts'

export const reusedRequestId = invalid(
  ['clientRequestId'],
  'was used before with another input. Choose a new id, or repeat the same input.',
)

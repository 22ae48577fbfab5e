import { isAllowed, type Resolution } from '../../domain/permission/permission.ts'
import { deniedBecause, notExecuted, type ToolResult } from '../../domain/tool/result.ts'

/** The result of a call that a person did not allow; undefined when the call may be executed. */
export function refusedBy(answer: Resolution): ToolResult | undefined {
  if (answer.decision === 'CANCELLED') return notExecuted
  return isAllowed(answer) ? undefined : deniedBecause(answer.message ?? 'A person rejected this call.')
}

import type { Json } from '../../kernel/json.ts'
import type { SessionId } from '../../kernel/ids.ts'
import { cutUtf8 } from '../../kernel/text.ts'
import { MAX_DELEGATED_TEXT_BYTES, MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import type { Part } from '../message/message.ts'
import type { ErrorView, RunOutcome } from '../run/outcome.ts'
import type { ModelIdentity, PartRange } from '../run/run.ts'
import type { ToolResult } from '../tool/result.ts'

/** How a child's prompt ended, and what its run said. */
export interface ChildEnd {
  readonly sessionId: SessionId
  readonly status: RunOutcome['status']
  readonly error: ErrorView | null
  /** The parts of its run's answer, oldest first; none when it never ran. */
  readonly parts: readonly Part[]
  /** Those of them that were repeated. */
  readonly superseded: readonly PartRange[]
  readonly model: ModelIdentity | null
}

/** What the parent's model is told. */
export function resultOf(end: ChildEnd): ToolResult {
  const status = statusFor(end)
  if (status === undefined) return { status: 'FAILED', error: errorFor(end) }
  return { status: 'COMPLETED', output: { taskId: end.sessionId, status, text: textOf(end), model: nameOf(end.model) } }
}

function statusFor({ status, error }: ChildEnd): 'completed' | 'partial' | undefined {
  if (status === 'COMPLETED') return 'completed'
  // An error of the application may have the same code.
  return error?.code === 'BUDGET_EXCEEDED' && error.source === 'harness' ? 'partial' : undefined
}

function textOf({ parts, superseded }: ChildEnd): string {
  const isRepeated = ({ partIndex }: Part) => superseded.some(({ from, to }) => partIndex >= from && partIndex < to)
  const texts = parts.flatMap((part) => (part.body.kind === 'text' && !isRepeated(part) ? [part.body.text] : []))
  return cutUtf8(texts.join(''), MAX_DELEGATED_TEXT_BYTES)
}

const nameOf = (model: ModelIdentity | null): Json => model && `${model.provider}:${model.id}`

/** The error of a child is projected already, so its parent's model may read it. */
function errorFor({ status, error }: ChildEnd): ErrorView {
  const what = status === 'CANCELLED' ? 'was stopped' : 'failed'
  const message = cutUtf8(`The subagent ${what}. ${error?.message ?? ''}`.trim(), MAX_ERROR_MESSAGE_BYTES)
  return { code: status === 'CANCELLED' ? 'SUBAGENT_CANCELLED' : 'SUBAGENT_FAILED', message, source: 'harness' }
}

import type { SessionId } from '../../kernel/ids.ts'
import { utf8Length } from '../../kernel/text.ts'
import { isStreaming, type OpenPart, type OpenTool, type Part } from '../../domain/message/message.ts'
import type { PartRange } from '../../domain/run/run.ts'

/** What earlier attempts of a run have left: its limits, ids and open calls go on from there. */
export interface Past {
  readonly textBytes: number
  readonly reasoningBytes: number
  readonly toolBytes: number
  readonly callIds: readonly string[]
  /** How often it has delegated, and which call has acquired each child. */
  readonly delegations: number
  readonly children: ReadonlyMap<SessionId, string>
  /** The calls of the last durable step that have no result yet. */
  readonly open: readonly OpenTool[]
}

export const noPast: Past = { textBytes: 0, reasoningBytes: 0, toolBytes: 0, callIds: [], delegations: 0, children: new Map(), open: [] }

/** From the parts of the run's assistant message, and from those of them that are open after it was resumed. */
export function pastOf(parts: readonly Part[], open: readonly OpenPart[], superseded: readonly PartRange[]): Past {
  const bytes = { text: 0, reasoning: 0, tool: 0 }
  const callIds: string[] = []
  const children = new Map<SessionId, string>()
  let delegations = 0
  for (const { partIndex, body } of parts) {
    if (isStreaming(body)) bytes[body.kind] += utf8Length(body.text)
    if (body.kind !== 'tool') continue
    bytes.tool += utf8Length(JSON.stringify(body.input)) + utf8Length(JSON.stringify(body.output))
    callIds.push(body.toolCallId)
    if (body.child) children.set(body.child.sessionId, body.toolCallId)
    const isMade = body.effect === 'child' && !superseded.some(({ from, to }) => partIndex >= from && partIndex < to)
    if (isMade && !open.some((part) => part.partIndex === partIndex)) delegations++
  }
  return {
    textBytes: bytes.text,
    reasoningBytes: bytes.reasoning,
    toolBytes: bytes.tool,
    callIds,
    delegations,
    children,
    open: open.filter((part) => part.kind === 'tool'),
  }
}

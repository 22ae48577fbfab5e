import type { Part, ToolPartBody } from '../../src/domain/message/message.ts'
import type { Run } from '../../src/domain/run/run.ts'
import type { SessionState } from './session-state.ts'

export interface CallPart extends Part {
  readonly body: ToolPartBody
}

const isCall = (part: Part): part is CallPart => part.body.kind === 'tool'

/** The tool calls of a run, in their order. */
export const callsOf = ({ parts }: SessionState, { assistantMessageIndex }: Run): readonly CallPart[] =>
  parts.filter(({ messageIndex }) => messageIndex === assistantMessageIndex).filter(isCall)

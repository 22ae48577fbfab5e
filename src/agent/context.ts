import type { FilePart, ModelMessage, TextPart, UserModelMessage } from 'ai'
import type { LogBody, LogEntry } from '../domain/log/entry.ts'
import type { Attachment } from '../domain/prompt/prompt.ts'
import type { RunId } from '../kernel/ids.ts'
import { base64Of } from './data-url.ts'
import { note } from './note.ts'
import { messagesOf } from './step-output.ts'
import { ToolResults } from './tool-results.ts'

type UserPart = TextPart | FilePart
type Outcome = Extract<LogBody, { kind: 'outcome' }>
type Reconciled = Extract<LogBody, { kind: 'reconciled' }>

/**
 * The conversation that a model of a provider sees of an agent log. Pure.
 *
 * Of every run the user's input and the finished steps, each with exactly one result for each of its tool calls right
 * behind it; of one that was not accepted also a note of how it ended. Notes are the user's text, so that the roles
 * alternate whatever happened: neighbouring user texts are one message.
 */
export function contextOf(log: readonly LogEntry[], provider: string): ModelMessage[] {
  const refused = refusedRuns(log)
  const results = new ToolResults(log)
  const messages: ModelMessage[] = []
  for (const { runId, body } of log) {
    switch (body.kind) {
      case 'input':
        addUserParts(messages, inputParts(body, refused.has(runId) ? 'named' : 'sent'))
        break
      case 'step': {
        const answer = messagesOf(body.output, provider)
        messages.push(...answer, ...results.after(answer, { runId, ids: body.calls ?? [] }))
        break
      }
      case 'reconciled':
        addUserParts(messages, [foundNote(body)])
        break
      case 'intent':
      case 'result':
        break
      case 'outcome':
        if (body.outcome !== 'ACCEPTED') addUserParts(messages, [endNote(body)])
        break
    }
  }
  return messages
}

/**
 * Runs of which the provider took not even the input. Perhaps their attachments were the reason: sent again and again,
 * they would fail every later run of the session.
 */
function refusedRuns(log: readonly LogEntry[]): ReadonlySet<RunId> {
  const stepped = new Set(log.filter(({ body }) => body.kind === 'step').map(({ runId }) => runId))
  const failed = log.filter(
    ({ runId, body }) => body.kind === 'outcome' && body.error?.source === 'model' && !stepped.has(runId),
  )
  return new Set(failed.map(({ runId }) => runId))
}

function addUserParts(messages: ModelMessage[], parts: readonly UserPart[]): void {
  const last = messages.at(-1)
  if (last?.role !== 'user') messages.push({ role: 'user', content: [...parts] })
  else messages[messages.length - 1] = { ...last, content: [...partsOf(last), ...parts] }
}

const partsOf = ({ content }: UserModelMessage) =>
  typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content

const inputParts = (
  { text, attachments }: Extract<LogBody, { kind: 'input' }>,
  attached: 'sent' | 'named',
): readonly UserPart[] => [
  ...(text === '' ? [] : [{ type: 'text' as const, text }]),
  ...attachments.map((attachment) => (attached === 'sent' ? attachmentPart(attachment) : leftOut(attachment))),
  ...(text === '' && attachments.length === 0 ? [note('The user said nothing.')] : []),
]

function attachmentPart(attachment: Attachment): UserPart {
  const { mediaType, filename, url } = attachment
  const data = base64Of(url)
  if (data === '') return leftOut(attachment)
  const [type = mediaType] = mediaType.toLowerCase().split(';')
  return { type: 'file', mediaType: type, data: { type: 'data', data }, ...(filename !== null && { filename }) }
}

const leftOut = ({ filename, mediaType }: Attachment): TextPart =>
  note(`The attachment ${filename ?? 'without a name'} (${mediaType}) is left out.`)

function endNote({ status, error }: Outcome): TextPart {
  const how = status === 'CANCELLED' ? 'was stopped' : 'failed'
  return note(`The answer to this ${how} before it was complete${error ? `: ${error.message}` : '.'}`)
}

function foundNote({ toolName, toolCallId, found }: Reconciled): TextPart {
  const call = `The call ${toolCallId} of ${toolName}, of which the outcome was unknown,`
  switch (found.outcome) {
    case 'SUCCEEDED':
      return note(`${call} has succeeded: ${JSON.stringify(found.output)}`)
    case 'FAILED':
      return note(`${call} has failed: ${found.error.message}`)
    case 'NOT_EXECUTED':
      return note(`${call} was not executed.`)
  }
}

import { isStreaming } from '../../../domain/message/message.ts'
import type { PartRow, Subscriptions } from '../../facade-types.ts'

/** The part with the text that it has by now, which is longer than what is stored of it while it streams. */
export function livePart(part: PartRow, subscriptions: Pick<Subscriptions, 'liveText'>): PartRow {
  const { status, body } = part
  if (status !== 'RUNNING' || !isStreaming(body)) return part
  const text = subscriptions.liveText(part)
  return text !== undefined && text.length > body.text.length ? { ...part, body: { ...body, text } } : part
}

import { isStreaming } from '../domain/message/message.ts'
import type { Run } from '../domain/run/run.ts'
import type { Stores } from '../ports/stores/stores.ts'

/** What is durable of each part of a run's answer, by part index. */
export async function durableTexts(
  { messages }: Pick<Stores, 'messages'>,
  { sessionKey, assistantMessageIndex: index }: Run,
): Promise<ReadonlyMap<number, string>> {
  const parts = await messages.parts([{ sessionKey, index }])
  return new Map(parts.map(({ partIndex, body }) => [partIndex, isStreaming(body) ? body.text : '']))
}

import type { Child } from '../../domain/delegation/delegation.ts'
import type { Part } from '../../domain/message/message.ts'
import { runIdOf } from '../../domain/prompt/entry.ts'
import type { Stores } from '../../ports/stores/stores.ts'

/**
 * The tokens of all runs that a run has delegated to, and of those below them, as far as they are durable. `parts` are those
 * of its assistant message: each call names the exact prompt that it waited for.
 */
export async function delegatedTokens(
  { queue, runs, messages }: Pick<Stores, 'queue' | 'runs' | 'messages'>,
  parts: readonly Part[],
): Promise<number> {
  let tokens = 0
  for (let children = childrenIn(parts); children.length > 0; ) {
    const entries = await queue.findMany(children.map(({ queueId }) => queueId))
    const found = await runs.findMany(entries.flatMap((entry) => runIdOf(entry) ?? []))
    for (const { usage } of found) tokens += usage.totalTokens
    const answers = found.map(({ sessionKey, assistantMessageIndex: index }) => ({ sessionKey, index }))
    children = answers.length > 0 ? childrenIn(await messages.parts(answers)) : []
  }
  return tokens
}

const childrenIn = (parts: readonly Part[]): readonly Child[] =>
  parts.flatMap(({ body }) => (body.kind === 'tool' && body.child ? [body.child] : []))

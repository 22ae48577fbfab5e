import type { OpenPart } from '../../../domain/message/message.ts'
import { runIdOf } from '../../../domain/prompt/entry.ts'
import type { ModelIdentity } from '../../../domain/run/run.ts'
import type { Stores } from '../../../ports/stores/stores.ts'

/** The models that the children of these calls have had, by part index. Fails as the stores do. */
export async function childModels(
  { queue, runs }: Pick<Stores, 'queue' | 'runs'>,
  parts: readonly OpenPart[],
): Promise<ReadonlyMap<number, ModelIdentity>> {
  const calls = parts.flatMap((part) => (part.kind === 'tool' && part.child ? [{ partIndex: part.partIndex, child: part.child }] : []))
  if (calls.length === 0) return new Map()
  const entries = await queue.findMany(calls.map(({ child }) => child.queueId))
  const found = await runs.findMany(entries.flatMap((entry) => runIdOf(entry) ?? []))
  const models = new Map(found.map(({ queueId, model }) => [queueId, model]))
  return new Map(
    calls.flatMap(({ partIndex, child }) => {
      const model = models.get(child.queueId)
      return model ? [[partIndex, model] as const] : []
    }),
  )
}

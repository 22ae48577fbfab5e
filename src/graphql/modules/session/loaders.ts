import type { ScopeKey, SessionId } from '../../../kernel/ids.ts'
import type { ChildrenQuery, DescendantsQuery, SessionRow, Stores } from '../../facade-types.ts'
import { batchLoader, rowLoader } from '../../row-loader.ts'

export interface InScope<T> {
  readonly scopeKey: ScopeKey
  readonly value: T
}

/** Reads sessions. What one reader found, `byKey` and `bySequence` know without asking again. */
export function sessionLoaders(sessions: Stores['sessions']) {
  const byKey = rowLoader(
    (keys) => sessions.findMany(keys),
    (row: SessionRow) => row.key,
  )
  const bySequence = batchLoader<InScope<number>, SessionRow | null>((keys: readonly InScope<number>[]) =>
    perScope(keys, async (scopeKey, sequences) => {
      const rows = seen(await sessions.findBySequence(scopeKey, sequences))
      const found = new Map(rows.map((row) => [row.generation.generationSequence, row]))
      return (sequence) => found.get(sequence) ?? null
    }),
  )
  const seen = <Rows extends readonly (SessionRow | null)[]>(rows: Rows): Rows => {
    for (const row of rows) {
      if (!row) continue
      byKey.prime(row.key, row)
      bySequence.prime({ scopeKey: row.scopeKey, value: row.generation.generationSequence }, row)
    }
    return rows
  }
  return {
    byKey,
    seen,
    byId: batchLoader(async (keys: readonly InScope<SessionId>[]) =>
      seen(await Promise.all(keys.map(async ({ scopeKey, value }) => (await sessions.find(scopeKey, value)) ?? null))),
    ),
    bySequence,
    /** The heaviest status in the subtree at a path. */
    treeStatus: batchLoader((keys: readonly InScope<string>[]) =>
      perScope(keys, async (scopeKey, paths) => {
        const statuses = await sessions.subtreeStatuses(scopeKey, paths)
        return (path) => statuses.get(path) ?? 'IDLE'
      }),
    ),
    children: batchLoader(async (queries: readonly ChildrenQuery[]) => {
      const pages = await sessions.children(queries)
      pages.forEach(seen)
      return pages
    }),
    childCount: batchLoader(sessions.countChildren.bind(sessions)),
    descendants: batchLoader((queries: readonly DescendantsQuery[]) =>
      Promise.all(queries.map(async (query) => seen(await sessions.descendants(query)))),
    ),
  }
}

/** One question for each scope that occurs; answers in the order of the keys. */
async function perScope<T, Answer>(
  keys: readonly InScope<T>[],
  ask: (scopeKey: ScopeKey, values: readonly T[]) => Promise<(value: T) => Answer>,
): Promise<readonly Answer[]> {
  const scopes = Map.groupBy(keys, ({ scopeKey }) => scopeKey)
  const answers = new Map(
    await Promise.all(
      Array.from(scopes, async ([scopeKey, group]) => {
        const answer = await ask(
          scopeKey,
          group.map(({ value }) => value),
        )
        return [scopeKey, answer] as const
      }),
    ),
  )
  return keys.flatMap(({ scopeKey, value }) => {
    const answer = answers.get(scopeKey)
    return answer ? [answer(value)] : []
  })
}

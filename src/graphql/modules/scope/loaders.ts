import type { ScopeId } from '../../../kernel/ids.ts'
import type { OpenScope } from '../../../runtime/harness.ts'
import type { Access } from '../../access.ts'
import { batchLoader } from '../../row-loader.ts'

export const scopeLoaders = (access: Access) => ({
  /** What the caller may read under a scope id; null when there is nothing. */
  readable: batchLoader((ids: readonly ScopeId[]) =>
    Promise.all(ids.map(async (id): Promise<OpenScope | null> => (await access.openScope(id)) ?? null)),
  ),
})

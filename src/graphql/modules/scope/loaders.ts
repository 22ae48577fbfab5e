import type { ScopeId } from '../../../kernel/ids.ts'
import type { OpenScope } from '../../../runtime/harness.ts'
import type { Access } from '../../access.ts'
import { batchLoader } from '../../row-loader.ts'

export const scopeLoaders = (access: Access) => ({
  /** What the caller may read under a scope id; null when there is nothing. */
  readable: batchLoader(async (ids: readonly ScopeId[]): Promise<readonly (OpenScope | null)[]> => {
    const open = await access.openScopes(ids)
    return open.map((scope) => scope ?? null)
  }),
})

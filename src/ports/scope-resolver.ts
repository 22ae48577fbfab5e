import type { ScopeId, StorageKey } from '../kernel/ids.ts'

/** What a scope id stands for. */
export interface ResolvedScope {
  readonly storageKey: StorageKey
  /** The application's own; handed to model resolvers and tools as it is. */
  readonly context: unknown
}

/** Turns a public scope id into what it stands for, or undefined when it refuses. `principal` is null at recovery. */
export interface ScopeResolver {
  resolve(scopeId: ScopeId, principal: string | null): Promise<ResolvedScope | undefined>
}

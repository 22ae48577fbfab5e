import type { RunId, SessionKey } from '../../kernel/ids.ts'
import type { Run } from '../../domain/run/run.ts'
import type { Purge } from './purge.ts'

export interface RunsQuery {
  readonly sessionKey: SessionKey
  /** Only runs with a lower ordinal. */
  readonly before?: number
  readonly limit: number
}

export interface RunStore extends Purge {
  find(session: SessionKey, ordinal: number): Promise<Run | undefined>
  findMany(ids: readonly RunId[]): Promise<readonly Run[]>
  /** The newest run of each session that has one. */
  latest(sessions: readonly SessionKey[]): Promise<readonly Run[]>
  /** Newest first; one answer a query, in their order. */
  pages(queries: readonly RunsQuery[]): Promise<readonly (readonly Run[])[]>
}

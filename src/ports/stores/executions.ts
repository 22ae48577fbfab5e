import type { IntentId, SessionKey } from '../../kernel/ids.ts'
import type { UncertainExecution } from '../../domain/tool/execution.ts'
import type { Purge } from './purge.ts'

/** Tool calls of which nobody knew how they ended. */
export interface ExecutionStore extends Purge {
  findMany(ids: readonly IntentId[]): Promise<readonly UncertainExecution[]>
  /** Of each session the oldest `limit` that nobody has reconciled, ascending ordinal. */
  uncertain(sessions: readonly SessionKey[], limit: number): Promise<readonly UncertainExecution[]>
}

import type { Run } from '../../domain/run/run.ts'
import type { SessionKey } from '../../kernel/ids.ts'
import type { Stores } from '../../ports/stores/stores.ts'

/**
 * Whether the run is still executed by this process. To be asked before anything of its children is ended: a process that was
 * suspended may have lost them with it. While the store does not say, it is.
 */
export async function isOurs(
  { sessions }: Pick<Stores, 'sessions'>,
  key: SessionKey,
  { epoch }: Pick<Run, 'epoch'>,
): Promise<boolean> {
  const stored = await sessions.findMany([key]).catch(() => undefined)
  return stored === undefined || stored[0]?.epoch === epoch
}

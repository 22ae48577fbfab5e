import { AbortReason } from '../../kernel/abort.ts'
import { exceeded } from '../../domain/run/budget.ts'
import type { RecoveryPolicy } from '../recovery-policy.ts'
import { abortedWith, fencedOff, interrupted, type RunOutcome } from '../../domain/run/outcome.ts'

/** How a run ends that was told to stop, for all that its executor knows. */
export function abortedBy(reason: unknown): RunOutcome {
  if (reason instanceof AbortReason && reason.kind === 'shutdown') return interrupted
  if (reason instanceof AbortReason && reason.kind === 'fenced') return fencedOff(reason.message)
  if (reason instanceof AbortReason && reason.kind === 'exhausted') return exceeded(reason.message)
  const message = reason instanceof AbortReason ? reason.message : 'The run was aborted.'
  return abortedWith(message)
}

/** Whether a run that stops for this reason is gone, goes on elsewhere, or will be resumed: then nothing of it is ended. */
export function isLeftAsItIs({ aborted, reason }: AbortSignal, recovery: RecoveryPolicy): boolean {
  if (!aborted || !(reason instanceof AbortReason)) return false
  if (reason.kind === 'deleted') return true
  return reason.kind === 'lost' || (reason.kind === 'shutdown' && recovery === 'RESUME')
}

import { AbortReason, LinkedController } from '../../kernel/abort.ts'
import type { OpenCall } from './open-call.ts'
import { RunLost } from './run-end.ts'
import { callTool, type ToolGateDeps } from './tool-gate.ts'

export interface CallToolsDeps extends ToolGateDeps {
  readonly signal: AbortSignal
}

/**
 * Executes the calls of one step beside each other. Resolves when every result is durable. When one of them must end the
 * run the others are stopped, and it rejects, with the first cause, once none is under way any more.
 */
export async function callTools(deps: CallToolsDeps, calls: readonly OpenCall[]): Promise<void> {
  using all = new LinkedController(deps.signal)
  const failures: unknown[] = []
  deps.slot.split(calls.length)
  const one = async (call: OpenCall) => {
    try {
      await callTool(deps, call, all.signal)
    } catch (error) {
      failures.push(error)
      all.abort(whyOthersStop(error))
    } finally {
      deps.slot.join()
    }
  }
  await Promise.all(calls.map(one))
  if (failures.length > 0) throw failures[0]
}

/** Of a run that is executed elsewhere nothing is ended, only let go. */
function whyOthersStop(error: unknown): AbortReason {
  if (error instanceof AbortReason) return error
  if (error instanceof RunLost) return new AbortReason('lost', error.message)
  return new AbortReason('failed', 'Another call of the step failed.')
}

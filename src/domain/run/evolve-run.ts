import { runMachine, type RunEvent } from './machine.ts'
import type { Run } from './run.ts'
import { addUsage } from './usage.ts'

/** The run after an event, also after the one that ends it. Total: an event that does not fit leaves it as it is. */
export function evolveRun(run: Run, event: RunEvent): Run {
  if (event.type === 'stepEnded') {
    return run.state.kind === 'generating'
      ? { ...run, steps: run.steps + 1, usage: addUsage(run.usage, event.usage) }
      : run
  }
  const state = runMachine.evolve(run.state, event)
  if (state === run.state) return run
  return event.type === 'resolved' ? { ...run, state, model: event.model } : { ...run, state }
}

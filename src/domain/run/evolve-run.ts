import { runMachine, type RunEvent } from './machine.ts'
import type { PartRange, Run } from './run.ts'
import { addUsage } from './usage.ts'

/** The run after an event, also after the one that ends it. Total: an event that does not fit leaves it as it is. */
export function evolveRun(run: Run, event: RunEvent): Run {
  switch (event.type) {
    case 'stepEnded':
      return run.state.kind === 'generating'
        ? { ...run, steps: run.steps + 1, stepFrom: run.partCount, usage: addUsage(run.usage, event.usage) }
        : run
    case 'counted':
      return counts(run, event.workedMs) ? { ...run, workedMs: event.workedMs } : run
    case 'resumed':
      return run.state.kind === 'resolving' || run.state.kind === 'generating' ? resumed(run, event) : run
    case 'resolved':
      return moved(run, event, { model: event.model })
    case 'admitted':
    case 'abortRequested':
    case 'outcomeDecided':
    case 'finished':
      return moved(run, event, {})
  }
}

/** What was worked only grows: what is known already, or comes too late, counts nothing. */
const counts = ({ state, workedMs }: Run, ms: number): boolean =>
  ms > workedMs && (state.kind === 'resolving' || state.kind === 'generating')

function moved(run: Run, event: RunEvent, fields: Partial<Run>): Run {
  const state = runMachine.evolve(run.state, event)
  return state === run.state ? run : { ...run, ...fields, state }
}

const resumed = (run: Run, event: Extract<RunEvent, { type: 'resumed' }>): Run => ({
  ...run,
  state: runMachine.evolve(run.state, event),
  epoch: event.epoch,
  owner: event.owner,
  attempts: run.attempts + 1,
  stepFrom: run.partCount,
  superseded: [...run.superseded, ...cutOff(run)],
})

/** The parts of the step that was under way. */
export const cutOff = ({ stepFrom, partCount }: Run): readonly PartRange[] =>
  stepFrom < partCount ? [{ from: stepFrom, to: partCount }] : []

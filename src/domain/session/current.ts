import { unchanged } from '../../kernel/decider.ts'
import type { Run } from '../run/run.ts'
import type { RunRef } from './commands.ts'
import type { Content } from './content.ts'

/** The answer to a command of a run that is not current. */
export const stale = unchanged('the run is not current')

/** The active run, if that is the one that a command comes from. */
export const current = ({ run }: Content, { runId, epoch }: RunRef): Run | undefined =>
  run && run.runId === runId && run.epoch === epoch ? run : undefined

import { accepted, type Machine, unchanged } from '../../kernel/decider.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { RunOutcome } from '../run/outcome.ts'
import type { EntryState } from './entry.ts'

export type PromptCommand =
  | { readonly type: 'start'; readonly runId: RunId; readonly at: number }
  | { readonly type: 'run'; readonly at: number }
  | { readonly type: 'settle'; readonly outcome: RunOutcome; readonly at: number }
  | { readonly type: 'cancel'; readonly outcome: RunOutcome; readonly at: number }

export type PromptEvent =
  | { readonly type: 'started'; readonly runId: RunId; readonly at: number }
  | { readonly type: 'running'; readonly at: number }
  | { readonly type: 'finished'; readonly outcome: RunOutcome; readonly at: number }

const over = () => unchanged('the entry has finished')
const finish = (_: EntryState, { outcome, at }: { outcome: RunOutcome; at: number }) =>
  accepted({ type: 'finished', outcome, at } as const)

/**
 * The life of a queue entry.
 *
 *     queued ──start──▶ started ──run──▶ running
 *       │                  │                │
 *       └─cancel, settle───┴────settle──────┴──▶ finished
 */
export const promptMachine: Machine<EntryState, PromptCommand, PromptEvent, never> = {
  table: {
    queued: {
      start: (_, { runId, at }) => accepted({ type: 'started', runId, at }),
      run: () => unchanged('the entry has not started'),
      settle: finish,
      cancel: finish,
    },
    started: {
      start: () => unchanged('the entry has started'),
      run: (_, { at }) => accepted({ type: 'running', at }),
      settle: finish,
      cancel: () => unchanged('the entry has started: abort its run'),
    },
    running: {
      start: () => unchanged('the entry has started'),
      run: () => unchanged('the entry is running'),
      settle: finish,
      cancel: () => unchanged('the entry has started: abort its run'),
    },
    finished: { start: over, run: over, settle: over, cancel: over },
  },
  evolve(state, event) {
    switch (event.type) {
      case 'started':
        return state.kind === 'queued' ? { kind: 'started', runId: event.runId, startedAt: event.at } : state
      case 'running':
        return state.kind === 'started' ? { ...state, kind: 'running' } : state
      case 'finished':
        return state.kind === 'finished' ? state : finished(state, event.outcome, event.at)
    }
  },
}

function finished(state: Exclude<EntryState, { kind: 'finished' }>, outcome: RunOutcome, finishedAt: number): EntryState {
  const error = outcome.status === 'COMPLETED' ? null : outcome.error
  const { runId, startedAt } = state.kind === 'queued' ? { runId: null, startedAt: null } : state
  return { kind: 'finished', status: outcome.status, error, runId, startedAt, finishedAt }
}

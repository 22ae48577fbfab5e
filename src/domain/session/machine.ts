import { accepted, type Machine, refused, unchanged } from '../../kernel/decider.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { RefusalOf } from '../../kernel/refusal.ts'
import type { WhenBusy } from '../prompt/prompt.ts'
import type { Doing, Work } from './session.ts'

export type WorkCommand =
  | { readonly type: 'enqueue'; readonly whenBusy: WhenBusy; readonly at: number }
  | { readonly type: 'begin'; readonly runId: RunId; readonly run: number; readonly at: number }
  | { readonly type: 'do'; readonly runId: RunId; readonly doing: Doing; readonly at: number }
  /** `left` counts the prompts that still wait. */
  | { readonly type: 'end'; readonly runId: RunId; readonly left: number; readonly at: number }
  | { readonly type: 'drop'; readonly left: number; readonly at: number }

export type WorkEvent =
  | { readonly type: 'arrived'; readonly at: number }
  | { readonly type: 'began'; readonly runId: RunId; readonly run: number; readonly at: number }
  | { readonly type: 'turnedTo'; readonly doing: Doing; readonly at: number }
  | { readonly type: 'ended'; readonly left: number; readonly at: number }
  | { readonly type: 'emptied'; readonly at: number }

const noRun = () => unchanged('no run is active')

const arrive = (_: Work, { whenBusy, at }: { whenBusy: WhenBusy; at: number }) =>
  whenBusy === 'REJECT' ? refused(busy) : accepted({ type: 'arrived', at } as const)

const busy: RefusalOf<'SESSION_BUSY'> = {
  code: 'SESSION_BUSY',
  message: 'The session is busy. Wait for it, abort its run, or enqueue with another `whenBusy`.',
}

/**
 * What a session is busy with. A session is busy exactly as long as a prompt waits or runs.
 *
 *     idle ──enqueue──▶ queued ──begin──▶ running ⟲ do
 *       ▲                │  ▲               │
 *       └──drop (0 left)─┘  └─end (n left)──┤
 *       └─────────────end (0 left)──────────┘
 */
export const workMachine: Machine<Work, WorkCommand, WorkEvent, RefusalOf<'SESSION_BUSY'>> = {
  table: {
    idle: {
      enqueue: (_, { at }) => accepted({ type: 'arrived', at }),
      begin: () => unchanged('no prompt waits'),
      do: noRun,
      end: noRun,
      drop: () => unchanged('no prompt waits'),
    },
    queued: {
      enqueue: arrive,
      begin: (_, { runId, run, at }) => accepted({ type: 'began', runId, run, at }),
      do: noRun,
      end: noRun,
      drop: (_, { left, at }) => (left === 0 ? accepted({ type: 'emptied', at }) : unchanged('prompts still wait')),
    },
    running: {
      enqueue: arrive,
      begin: () => unchanged('a run is active'),
      do: (work, { runId, doing, at }) => {
        if (work.runId !== runId) return unchanged('another run is active')
        return work.doing === doing ? unchanged('it does that') : accepted({ type: 'turnedTo', doing, at })
      },
      end: (work, { runId, left, at }) =>
        work.runId === runId ? accepted({ type: 'ended', left, at }) : unchanged('another run is active'),
      drop: () => unchanged('a run is active'),
    },
  },
  evolve(work, event) {
    switch (event.type) {
      case 'arrived':
        return work.kind === 'idle' ? { kind: 'queued', since: event.at } : work
      case 'began':
        return work.kind === 'queued'
          ? { kind: 'running', since: event.at, runId: event.runId, run: event.run, doing: 'THINKING' }
          : work
      case 'turnedTo':
        return work.kind === 'running' ? { ...work, doing: event.doing, since: event.at } : work
      case 'ended':
        return work.kind === 'running' ? { kind: event.left > 0 ? 'queued' : 'idle', since: event.at } : work
      case 'emptied':
        return work.kind === 'queued' ? { kind: 'idle', since: event.at } : work
    }
  },
}

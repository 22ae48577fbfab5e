import { accepted, type Machine, unchanged } from '../../kernel/decider.ts'
import type { PermissionId } from '../../kernel/ids.ts'
import { begunAtOf, type CallState, type Effect } from './call.ts'
import { childStopped, notExecuted, outcomeUnknown, type ToolResult } from './result.ts'

export type CallCommand =
  | { readonly type: 'ask'; readonly permissionId: PermissionId }
  | { readonly type: 'answer'; readonly permissionId: PermissionId }
  | { readonly type: 'begin'; readonly at: number }
  | { readonly type: 'end'; readonly result: ToolResult }
  /** The process that executed it is gone. */
  | { readonly type: 'lose'; readonly effect: Effect }
  /** Its run ends. */
  | { readonly type: 'close'; readonly effect: Effect }

export type CallEvent =
  | { readonly type: 'asked'; readonly permissionId: PermissionId }
  | { readonly type: 'answered' }
  | { readonly type: 'begun'; readonly at: number }
  /** It can be begun again. */
  | { readonly type: 'reset' }
  | { readonly type: 'lost' }
  | { readonly type: 'ended'; readonly result: ToolResult }

const over = () => unchanged('the call has ended')
const begun = () => unchanged('the call has begun')
const end = (_: CallState, { result }: { result: ToolResult }) => accepted({ type: 'ended', result } as const)

/** Only what may have happened, and then changes something, is uncertain. */
const close = (state: CallState, { effect }: { effect: Effect }) => {
  if (begunAtOf(state) === null || effect === 'none') return accepted({ type: 'ended', result: notExecuted } as const)
  return accepted({ type: 'ended', result: effect === 'child' ? childStopped : outcomeUnknown } as const)
}

/** What a child did is in its session: the call goes on waiting for it. */
const lose = (_: CallState, { effect }: { effect: Effect }) =>
  effect === 'child'
    ? unchanged('its child is taken up again')
    : accepted({ type: effect === 'once' ? 'lost' : 'reset' } as const)

/**
 * The life of a tool call.
 *
 *     pending ──ask──▶ awaiting        close ends a call that never began as not executed, and one
 *       │  ▲              │            that did as uncertain, unless it has no effects
 *       │  └───answer─────┤
 *       └──begin──▶ running ──end──▶ ended
 *                     │
 *                     └──lose──▶ unknown ──end──▶ ended      lose resets a call that can be repeated to pending,
 *                                                            and leaves one that has a child as it is
 */
export const callMachine: Machine<CallState, CallCommand, CallEvent, never> = {
  table: {
    pending: {
      ask: (_, { permissionId }) => accepted({ type: 'asked', permissionId }),
      answer: () => unchanged('the call does not wait for an answer'),
      begin: (_, { at }) => accepted({ type: 'begun', at }),
      end,
      lose: () => unchanged('the call has not begun'),
      close,
    },
    awaiting: {
      ask: () => unchanged('the call waits for an answer'),
      answer: (state, { permissionId }) =>
        state.permissionId === permissionId ? accepted({ type: 'answered' }) : unchanged('it waits for another answer'),
      begin: () => unchanged('the call waits for an answer'),
      end,
      lose: () => unchanged('the call has not begun'),
      close,
    },
    running: {
      ask: begun,
      answer: begun,
      begin: begun,
      end,
      lose,
      close,
    },
    unknown: {
      ask: begun,
      answer: begun,
      begin: begun,
      end,
      lose: () => unchanged('the call is lost'),
      close,
    },
    ended: { ask: over, answer: over, begin: over, end: over, lose: over, close: over },
  },
  evolve(state, event) {
    switch (event.type) {
      case 'asked':
        return state.kind === 'pending' ? { ...state, kind: 'awaiting', permissionId: event.permissionId } : state
      case 'answered':
        return state.kind === 'awaiting' ? answered(state) : state
      case 'begun':
        return state.kind === 'pending' ? { kind: 'running', since: event.at } : state
      case 'reset':
        return state.kind === 'running' ? { kind: 'pending', begunBefore: state.since } : state
      case 'lost':
        return state.kind === 'running' ? { kind: 'unknown', since: state.since } : state
      case 'ended':
        return state.kind === 'ended' ? state : { kind: 'ended', result: event.result, begunAt: begunAtOf(state) }
    }
  },
}

function answered({ permissionId: _permissionId, ...before }: Extract<CallState, { kind: 'awaiting' }>): CallState {
  return { ...before, kind: 'pending' }
}

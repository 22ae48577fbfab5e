import { accepted, type Machine, unchanged } from '../../kernel/decider.ts'
import type { PermissionId } from '../../kernel/ids.ts'
import type { CallState, Effect } from './call.ts'
import { notExecuted, outcomeUnknown, type ToolResult } from './result.ts'

export type CallCommand =
  | { readonly type: 'ask'; readonly permissionId: PermissionId }
  | { readonly type: 'answer'; readonly permissionId: PermissionId }
  | { readonly type: 'begin'; readonly at: number }
  | { readonly type: 'end'; readonly result: ToolResult }
  /** Its run ends. */
  | { readonly type: 'close'; readonly effect: Effect }

export type CallEvent =
  | { readonly type: 'asked'; readonly permissionId: PermissionId }
  | { readonly type: 'answered' }
  | { readonly type: 'begun'; readonly at: number }
  | { readonly type: 'ended'; readonly result: ToolResult }

const over = () => unchanged('the call has ended')
const begun = () => unchanged('the call has begun')
const end = (_: CallState, { result }: { result: ToolResult }) => accepted({ type: 'ended', result } as const)
const drop = () => accepted({ type: 'ended', result: notExecuted } as const)

/**
 * The life of a tool call.
 *
 *     pending ──ask──▶ awaiting        close ends a call that has not begun as not executed, and one
 *       │  ▲              │            that has as uncertain, unless it has no effects
 *       │  └───answer─────┤
 *       └──begin──▶ running ──end──▶ ended
 */
export const callMachine: Machine<CallState, CallCommand, CallEvent, never> = {
  table: {
    pending: {
      ask: (_, { permissionId }) => accepted({ type: 'asked', permissionId }),
      answer: () => unchanged('the call does not wait for an answer'),
      begin: (_, { at }) => accepted({ type: 'begun', at }),
      end,
      close: drop,
    },
    awaiting: {
      ask: () => unchanged('the call waits for an answer'),
      answer: (state, { permissionId }) =>
        state.permissionId === permissionId ? accepted({ type: 'answered' }) : unchanged('it waits for another answer'),
      begin: () => unchanged('the call waits for an answer'),
      end,
      close: drop,
    },
    running: {
      ask: begun,
      answer: begun,
      begin: begun,
      end,
      close: (_, { effect }) => accepted({ type: 'ended', result: effect === 'none' ? notExecuted : outcomeUnknown }),
    },
    ended: { ask: over, answer: over, begin: over, end: over, close: over },
  },
  evolve(state, event) {
    switch (event.type) {
      case 'asked':
        return state.kind === 'pending' ? { kind: 'awaiting', permissionId: event.permissionId } : state
      case 'answered':
        return state.kind === 'awaiting' ? { kind: 'pending' } : state
      case 'begun':
        return state.kind === 'pending' ? { kind: 'running', since: event.at } : state
      case 'ended':
        return state.kind === 'ended' ? state : ended(state, event.result)
    }
  },
}

const ended = (state: Exclude<CallState, { kind: 'ended' }>, result: ToolResult): CallState => ({
  kind: 'ended',
  result,
  begunAt: state.kind === 'running' ? state.since : null,
})

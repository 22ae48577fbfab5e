import { accepted, type Machine, refused, unchanged } from '../../kernel/decider.ts'
import type { RefusalOf } from '../../kernel/refusal.ts'
import type { PermissionState, Resolution } from './permission.ts'

export type PermissionCommand =
  | { readonly type: 'answer'; readonly resolution: Resolution }
  | { readonly type: 'cancel'; readonly at: number }

export interface PermissionEvent {
  readonly type: 'resolved'
  readonly resolution: Resolution
}

const cancelled = (at: number): Resolution => ({ decision: 'CANCELLED', message: null, by: null, at })

/** A request is answered once, or cancelled with its run. */
export const permissionMachine: Machine<
  PermissionState,
  PermissionCommand,
  PermissionEvent,
  RefusalOf<'PERMISSION_STATE'>
> = {
  table: {
    pending: {
      answer: (_, { resolution }) => accepted({ type: 'resolved', resolution }),
      cancel: (_, { at }) => accepted({ type: 'resolved', resolution: cancelled(at) }),
    },
    resolved: {
      answer: ({ decision }) => refused(answered(decision)),
      cancel: () => unchanged('the request was answered'),
    },
  },
  evolve: (state, { resolution }) => (state.kind === 'pending' ? { kind: 'resolved', ...resolution } : state),
}

const answered = (decision: Resolution['decision']): RefusalOf<'PERMISSION_STATE'> => ({
  code: 'PERMISSION_STATE',
  message: `The request is not pending any more: it ended with ${decision}. Nothing was changed.`,
})

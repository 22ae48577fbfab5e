import { builder } from './builder.ts'
import type {
  ExecutionView,
  GrantView,
  MessageView,
  PermissionView,
  QueueEntryView,
  RunView,
  ScopeView,
  SessionView,
  TombstoneView,
} from './views.ts'

/** The object types that refer to each other; their modules say what they consist of. */
export const Scope = builder.objectRef<ScopeView>('Scope')
export const Session = builder.objectRef<SessionView>('Session')
export const Tombstone = builder.objectRef<TombstoneView>('Tombstone')
export const Run = builder.objectRef<RunView>('Run')
export const Message = builder.objectRef<MessageView>('Message')
export const QueueEntry = builder.objectRef<QueueEntryView>('QueueEntry')
export const Permission = builder.objectRef<PermissionView>('Permission')
export const Grant = builder.objectRef<GrantView>('Grant')
export const UncertainToolExecution = builder.objectRef<ExecutionView>('UncertainToolExecution')

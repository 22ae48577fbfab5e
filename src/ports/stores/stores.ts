import type { EventStore } from './events.ts'
import type { ExecutionStore } from './executions.ts'
import type { InstanceStore } from './instances.ts'
import type { LogStore } from './log.ts'
import type { MessageStore } from './messages.ts'
import type { PermissionStore } from './permissions.ts'
import type { QueueStore } from './queue.ts'
import type { RequestStore } from './requests.ts'
import type { RunStore } from './runs.ts'
import type { ScopeStore } from './scopes.ts'
import type { StructureStore } from './structure.ts'
import type { SessionStore } from './sessions.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Everything durable. One repository per concept, and one unit of work that changes several of them at once. */
export interface Stores {
  readonly scopes: ScopeStore
  readonly sessions: SessionStore
  readonly structure: StructureStore
  readonly queue: QueueStore
  readonly runs: RunStore
  readonly messages: MessageStore
  readonly log: LogStore
  readonly permissions: PermissionStore
  readonly executions: ExecutionStore
  readonly events: EventStore
  readonly requests: RequestStore
  readonly unit: UnitOfWork
  /** Null where a single process owns the database. */
  readonly instances: InstanceStore | null
  /** Whether commits of different scopes exclude each other, so that one committer should group them all. */
  readonly serialises: 'database' | 'scope'
  /** True when the store answers, its schema is the one of this build, and it takes changes. Never throws. */
  isReady(): Promise<boolean>
  close(): Promise<void>
}

/**
 * Stores in the memory of the process: the executable specification of what every store does. Nothing is durable.
 *
 * Owns all rows. Rows are immutable: they are copied and frozen when they come in. Each call does its whole work before
 * it returns its promise, so calls never interleave, and a commit is atomic because it runs as one piece.
 */
import type { Clock } from '../../ports/clock.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import { memoryEvents } from './memory-events.ts'
import { memoryExecutions } from './memory-executions.ts'
import { memoryInstances } from './memory-instances.ts'
import { memoryLog } from './memory-log.ts'
import { memoryMessages } from './memory-messages.ts'
import { memoryPermissions } from './memory-permissions.ts'
import { memoryQueue } from './memory-queue.ts'
import { memoryRequests } from './memory-requests.ts'
import { memoryRuns } from './memory-runs.ts'
import { memoryScopes } from './memory-scopes.ts'
import { memorySessions } from './memory-sessions.ts'
import { memoryStructure } from './memory-structure.ts'
import { memoryTables } from './memory-tables.ts'
import { memoryUnitOfWork } from './memory-unit-of-work.ts'

export interface MemoryStoresOptions {
  /** Dates the records of commits. */
  readonly clock: Pick<Clock, 'now'>
  /** Whether several harnesses use them at the same time. Only one does unless this says so. */
  readonly isShared?: true
}

/** Empty stores. They are ready until they are closed. */
export function memoryStores({ clock, isShared }: MemoryStoresOptions): Stores {
  const tables = memoryTables()
  let open = true
  return {
    scopes: memoryScopes(tables),
    sessions: memorySessions(tables),
    structure: memoryStructure(tables),
    queue: memoryQueue(tables),
    runs: memoryRuns(tables),
    messages: memoryMessages(tables),
    log: memoryLog(tables),
    permissions: memoryPermissions(tables),
    executions: memoryExecutions(tables),
    events: memoryEvents(tables),
    requests: memoryRequests(tables),
    unit: memoryUnitOfWork(tables, clock),
    instances: isShared ? memoryInstances(tables, clock) : null,
    serialises: 'scope',
    async isReady() {
      return open
    },
    async close() {
      open = false
    },
  }
}

import type { Stores } from '../../ports/stores/stores.ts'
import type { Database } from './database.ts'
import { isMigrated } from './is-migrated.ts'
import type { Migration } from './migrate/migration.ts'
import { prismaEvents } from './prisma-events.ts'
import { prismaExecutions } from './prisma-executions.ts'
import { prismaLog } from './prisma-log.ts'
import { prismaMessages } from './prisma-messages.ts'
import { prismaPermissions } from './prisma-permissions.ts'
import { prismaQueue } from './prisma-queue.ts'
import { prismaRequests } from './prisma-requests.ts'
import { prismaRuns } from './prisma-runs.ts'
import { prismaScopes } from './prisma-scopes.ts'
import { prismaSessions } from './prisma-sessions.ts'
import { unitOfWork } from './unit-of-work.ts'

export interface StoresOf {
  readonly database: Database
  /** Those of this build. */
  readonly migrations: readonly Migration[]
}

/** The stores on a database, which they close. */
export function storesOf({ database, migrations }: StoresOf): Stores {
  return {
    scopes: prismaScopes(database),
    sessions: prismaSessions(database),
    queue: prismaQueue(database),
    runs: prismaRuns(database),
    messages: prismaMessages(database),
    log: prismaLog(database),
    permissions: prismaPermissions(database),
    executions: prismaExecutions(database),
    events: prismaEvents(database),
    requests: prismaRequests(database),
    unit: unitOfWork(database),
    serialises: database.dialect.concurrent ? 'scope' : 'database',
    isReady: () => isMigrated(database, migrations),
    close: () => database.close(),
  }
}

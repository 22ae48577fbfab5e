import type { Stores } from '../../ports/stores/stores.ts'
import { ChangeCheck } from './change-check.ts'
import { isMigrated } from './is-migrated.ts'
import type { MigratedDatabase } from './migrated-database.ts'
import { prismaEvents } from './prisma-events.ts'
import { prismaExecutions } from './prisma-executions.ts'
import { prismaInstances } from './prisma-instances.ts'
import { prismaLog } from './prisma-log.ts'
import { prismaMessages } from './prisma-messages.ts'
import { prismaPermissions } from './prisma-permissions.ts'
import { prismaQueue } from './prisma-queue.ts'
import { prismaRequests } from './prisma-requests.ts'
import { prismaRuns } from './prisma-runs.ts'
import { prismaStructure } from './prisma-structure.ts'
import { prismaScopes } from './prisma-scopes.ts'
import { prismaSessions } from './prisma-sessions.ts'
import { unitOfWork } from './unit-of-work.ts'

/** The stores on a database, which they close. */
export function storesOf(on: MigratedDatabase): Stores {
  const { database, migrations } = on
  const check = new ChangeCheck(database)
  return {
    scopes: prismaScopes(database),
    sessions: prismaSessions(database),
    structure: prismaStructure(database),
    queue: prismaQueue(database),
    runs: prismaRuns(database),
    messages: prismaMessages(database),
    log: prismaLog(database),
    permissions: prismaPermissions(database),
    executions: prismaExecutions(database),
    events: prismaEvents(database),
    requests: prismaRequests(database),
    unit: unitOfWork(on, check),
    instances: database.dialect.concurrent ? prismaInstances(database) : null,
    serialises: database.dialect.concurrent ? 'scope' : 'database',
    isReady: async () => (await isMigrated(database, migrations)) && check.isPassed(),
    close: () => database.close(),
  }
}

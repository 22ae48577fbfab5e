import type { ContractSuite } from '../support/contract-suite.ts'
import { atomicitySuite } from './atomicity.ts'
import { compareAndSetSuite } from './compare-and-set.ts'
import { delegationSuite } from './delegation.ts'
import { eventsSuite } from './events.ts'
import { executionsSuite } from './executions.ts'
import { instancesSuite } from './instances.ts'
import { isolationSuite } from './isolation.ts'
import { logSuite } from './log.ts'
import { longListsSuite } from './long-lists.ts'
import { messagesSuite } from './messages.ts'
import { numberingSuite } from './numbering.ts'
import { numbersSuite } from './numbers.ts'
import { outcomesSuite } from './outcomes.ts'
import { permissionsSuite } from './permissions.ts'
import { purgeSuite } from './purge.ts'
import { queueSuite } from './queue.ts'
import { requestsSuite } from './requests.ts'
import { rollUpsSuite } from './roll-ups.ts'
import { runsSuite } from './runs.ts'
import { scopesSuite } from './scopes.ts'
import { sessionTreeSuite } from './session-tree.ts'
import { sessionsSuite } from './sessions.ts'
import { storeLawSuite } from './store-law.ts'
import { structureSuite } from './structure.ts'
import { textsSuite } from './texts.ts'

/** All that every store must do. */
export const contractSuites: readonly ContractSuite[] = [
  scopesSuite,
  atomicitySuite,
  compareAndSetSuite,
  numberingSuite,
  rollUpsSuite,
  outcomesSuite,
  sessionsSuite,
  sessionTreeSuite,
  structureSuite,
  queueSuite,
  runsSuite,
  messagesSuite,
  logSuite,
  permissionsSuite,
  executionsSuite,
  delegationSuite,
  eventsSuite,
  requestsSuite,
  purgeSuite,
  textsSuite,
  numbersSuite,
  isolationSuite,
  instancesSuite,
  longListsSuite,
  storeLawSuite,
]

import { eventHub } from '../events/event-hub.ts'
import { inProcessTransport } from '../events/in-process-transport.ts'
import { liveInboxes } from '../events/live-inbox.ts'
import { liveRuns } from '../events/live-run.ts'
import { createHarness } from '../runtime/create-harness.ts'
import type { HarnessOptions } from '../runtime/harness-options.ts'
import type { Harness } from '../runtime/harness.ts'
import { systemClock } from '../runtime/system-clock.ts'
import { systemIds } from '../runtime/system-ids.ts'
import { withLastEvents } from './last-events.ts'

/** What an application decides about its harness; for the rest there is one sensible choice within a single process. */
export type EmbeddedHarnessOptions = Pick<HarnessOptions, 'stores' | 'models' | 'log'> &
  Partial<Omit<HarnessOptions, 'stores' | 'models' | 'log'>>

/** A harness that does all its work in this process. It refuses work until `start` has been called. */
export function embeddedHarness(options: EmbeddedHarnessOptions): Harness {
  const { stores, log, clock = systemClock, ids = systemIds, version = 'embedded' } = options
  const transport = options.transport ?? inProcessTransport({ log })
  const subscriptions = options.subscriptions ?? withLastEvents(eventHub({ stores, transport, clock, log }), stores)
  const live = {
    liveRuns: options.liveRuns ?? liveRuns({ subscriptions, stores, clock }),
    liveInboxes: options.liveInboxes ?? liveInboxes({ subscriptions, stores }),
  }
  return createHarness({ ...options, ...live, clock, ids, version, transport, subscriptions })
}

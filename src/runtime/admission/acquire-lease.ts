import type { Clock } from '../../ports/clock.ts'
import type { DelegatedRun, DelegatedRunAdmission } from '../../ports/delegated-run-admission.ts'
import type { Log } from '../../ports/telemetry.ts'
import { NotThereYet } from '../not-there-yet.ts'
import type { Orphan, Orphans } from '../orphans.ts'
import { raced } from '../run/raced.ts'
import { settled } from '../run/settled.ts'
import { checkedLease } from './checked-lease.ts'
import { LeaseClosing } from './lease-closing.ts'

export interface AcquireLeaseDeps {
  readonly admission: DelegatedRunAdmission
  readonly clock: Clock
  readonly log: Log
  /** Owns each lease from the moment at which it is asked for until it is closed. */
  readonly orphans: Orphans
  /** Milliseconds for which anybody waits for a lease to be closed, or to come so that it can be. */
  readonly closeDeadlineMs: number
}

/** The session of the run: its row key names one generation. */
export type LeaseOwner = Pick<Orphan, 'scopeKey' | 'sessionKey'>

export interface HeldLease {
  /**
   * Resolves once the lease is closed. Rejects when that fails or takes too long: then the orphans have it, and whoever
   * deletes, retires, restores or closes tries again. Who asks at the same time shares the attempt.
   */
  close(): Promise<void>
}

/**
 * Asks the application to let a delegated run begin. Rejects with what it threw, with an `InvalidLease`, or, as soon as the
 * run's signal aborts, with its reason: a lease that comes later is closed when it comes.
 */
export async function acquireLease(deps: AcquireLeaseDeps, owner: LeaseOwner, run: DelegatedRun): Promise<HeldLease> {
  const { admission, orphans, log } = deps
  const { runId, signal } = run
  signal.throwIfAborted()
  const arrival = (async () => checkedLease(await admission.acquire(frozen(run))))()
  const closing = new LeaseClosing(arrival)
  const release = () => closedInTime(deps, arrival, closing)
  const close = orphans.add({ ...owner, what: `the lease of the delegated run ${runId}`, release })
  try {
    await raced(signal, arrival)
    return { close }
  } catch (error) {
    closing.close().then(close).catch((late: unknown) => {
      log.error({ err: late, runId }, 'the late lease of a delegated run could not be closed: trying again later')
    })
    throw error
  }
}

async function closedInTime(
  { clock, closeDeadlineMs: graceMs }: AcquireLeaseDeps,
  arrival: Promise<unknown>,
  closing: LeaseClosing,
): Promise<void> {
  let hasCome = false
  const come = () => {
    hasCome = true
  }
  arrival.then(come, come)
  const end = await settled(clock, { signal: AbortSignal.abort(), graceMs }, closing.close())
  if (end.kind === 'error') throw end.error
  if (end.kind === 'value') return
  if (hasCome) throw new Error(`Closing the lease takes more than ${graceMs} ms.`)
  throw new NotThereYet(`The lease was asked for and has not come within ${graceMs} ms.`)
}

const frozen = (run: DelegatedRun): DelegatedRun =>
  Object.freeze({
    ...run,
    generation: Object.freeze({ ...run.generation }),
    parent: Object.freeze({ ...run.parent, generation: Object.freeze({ ...run.parent.generation }) }),
    origin: Object.freeze({ ...run.origin }),
  })

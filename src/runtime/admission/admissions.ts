import type { Entry } from '../../domain/prompt/entry.ts'
import type { Session } from '../../domain/session/session.ts'
import { Fault } from '../../kernel/fault.ts'
import type { RunId } from '../../kernel/ids.ts'
import type { DelegatedRun, DelegatedRunAdmission } from '../../ports/delegated-run-admission.ts'
import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import { acquireLease, type AcquireLeaseDeps } from './acquire-lease.ts'
import { RunLease } from './run-lease.ts'

export interface AdmissionsDeps extends Omit<AcquireLeaseDeps, 'admission'> {
  readonly stores: Pick<Stores, 'scopes'>
  /** Null when the application has no say in delegated runs. */
  readonly admission: DelegatedRunAdmission | null
}

/** What the application is to be asked about delegated runs. */
export class Admissions {
  readonly #deps: AdmissionsDeps

  constructor(deps: AdmissionsDeps) {
    this.#deps = deps
  }

  /**
   * The lease that the run of a prompt needs, which has yet to be asked for; null when it needs none. The same run is
   * described in the same way in whatever process. Rejects as the stores do.
   */
  async leaseOf(session: Session, entry: Entry, runId: RunId): Promise<RunLease | null> {
    const { admission, stores } = this.#deps
    if (!admission || !entry.delegation) return null
    const [scope] = await stores.scopes.findMany([session.scopeKey])
    if (!scope) throw new StoreFailure('fatal', `There is no scope ${session.scopeKey}.`)
    const run = { ...described(session, entry), storageKey: scope.storageKey, runId }
    const owner = { scopeKey: session.scopeKey, sessionKey: session.key }
    return new RunLease((signal) => acquireLease({ ...this.#deps, admission }, owner, { ...run, signal }))
  }
}

function described(
  { sessionId, generation, place: { origin, agent, depth } }: Session,
  { scopeId, queueId, delegation }: Entry,
): Omit<DelegatedRun, 'storageKey' | 'runId' | 'signal'> {
  if (!delegation || !origin || agent === null) throw new Fault('store', `The session ${sessionId} is none of a subagent.`)
  return {
    scopeId,
    sessionId,
    generation,
    queueId,
    parent: {
      sessionId: delegation.parentSessionId,
      generation: delegation.parentGeneration,
      queueId: delegation.parentQueueId,
      runId: delegation.parentRunId,
      toolCallId: delegation.toolCallId,
    },
    origin: { runId: origin.parentRunId, toolCallId: origin.parentToolCallId },
    agent,
    depth,
  }
}

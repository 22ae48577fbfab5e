/**
 * Forgets what has outlived its use: old events beyond the retention, client requests, records of commits.
 *
 * Works in small batches in the background and never at the cost of somebody who waits. A batch that fails is logged and
 * left to the next round.
 */
import { CLIENT_REQUEST_MEMORY_MS } from '../domain/limits.ts'
import type { ScopeKey } from '../kernel/ids.ts'
import type { Clock } from '../ports/clock.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Log } from '../ports/telemetry.ts'

export interface Retention {
  /** Milliseconds for which events are kept. */
  readonly eventMs: number
  /** Events that are kept per scope. */
  readonly events: number
}

export const defaultRetention: Retention = { eventMs: 7 * 24 * 3_600_000, events: 1_000_000 }

/** Longer than an uncertain commit takes to be resolved, unless it is lost. */
const COMMIT_RECORD_MEMORY_MS = 24 * 3_600_000
const ROUND_MS = 10 * 60_000
const BATCH = 1_000
const SCOPES = 200

interface HousekeepingDeps {
  /** True while somebody may still ask for the record of a commit, however old. */
  readonly needsRecords: () => boolean
  readonly stores: Stores
  readonly clock: Clock
  readonly log: Log
  readonly retention: Retention
}

/** Begins to keep house; the result ends it, after the batch in hand. */
export function keepHouse(deps: HousekeepingDeps): () => Promise<void> {
  const stop = new AbortController()
  const rounds = (async () => {
    while (!stop.signal.aborted) {
      await deps.clock.sleep(ROUND_MS, stop.signal).catch(() => undefined)
      await round(deps, stop.signal).catch((error: unknown) => deps.log.warn({ err: error }, 'housekeeping failed'))
    }
  })()
  return () => {
    stop.abort()
    return rounds
  }
}

async function round({ stores, clock, retention, needsRecords }: HousekeepingDeps, signal: AbortSignal): Promise<void> {
  const now = clock.now()
  await repeat(clock, signal, () => stores.requests.forget(now - CLIENT_REQUEST_MEMORY_MS, BATCH))
  await repeat(clock, signal, async () =>
    needsRecords() ? 0 : stores.unit.forget(now - COMMIT_RECORD_MEMORY_MS, BATCH),
  )
  let after: ScopeKey | undefined
  while (!signal.aborted) {
    const scopes = await stores.scopes.page(after, SCOPES)
    for (const { key } of scopes) {
      const policy = { before: now - retention.eventMs, keep: retention.events, limit: BATCH }
      await repeat(clock, signal, () => stores.events.prune(key, policy))
    }
    after = scopes.at(-1)?.key
    if (scopes.length < SCOPES) return
  }
}

async function repeat(clock: Clock, signal: AbortSignal, batch: () => Promise<number>): Promise<void> {
  while (!signal.aborted && (await batch()) === BATCH) await clock.breathe()
}

import type { SubagentDefinition } from '../domain/delegation/definition.ts'
import type { Limits } from '../domain/limits.ts'
import type { Clock } from '../ports/clock.ts'
import type { DelegatedRunAdmission } from '../ports/delegated-run-admission.ts'
import type { EventTransport } from '../ports/event-transport.ts'
import type { Ids } from '../ports/ids.ts'
import type { LiveInboxes } from '../ports/live-inbox.ts'
import type { LiveRuns } from '../ports/live-run.ts'
import type { ModelResolver } from '../ports/model.ts'
import type { PolicyRule } from '../domain/permission/policy.ts'
import type { ToolProvider } from '../ports/tools.ts'
import type { ScopeResolver } from '../ports/scope-resolver.ts'
import type { Stores } from '../ports/stores/stores.ts'
import type { Subscriptions } from '../ports/subscriptions.ts'
import type { Log } from '../ports/telemetry.ts'
import type { CommitPolicy } from './committer.ts'
import type { Retention } from './housekeeping.ts'
import type { LeasePolicy } from './leases.ts'
import type { RecoveryPolicy } from './recovery-policy.ts'
import type { ErrorProjector } from './run/project-error.ts'

export interface HarnessOptions {
  readonly stores: Stores
  readonly models: ModelResolver
  /** Runs have no tools when absent. */
  readonly tools?: ToolProvider
  /** Rules about calls of tools; the first that matches counts. By default those that change something are asked for. */
  readonly policies?: readonly PolicyRule[]
  /** The agents to which runs may delegate. Runs do not delegate when there is none. */
  readonly subagents?: readonly SubagentDefinition[]
  readonly transport: EventTransport
  readonly subscriptions: Subscriptions
  readonly liveRuns: LiveRuns
  readonly liveInboxes: LiveInboxes
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly version: string
  /** Every well-formed scope id is a scope of its own when absent. */
  readonly resolver?: ScopeResolver
  readonly limits?: Partial<Limits>
  /** The system prompt of runs whose prompt has none. */
  readonly system?: string
  /** Lets delegated runs begin; all may when absent. */
  readonly delegatedRunAdmission?: DelegatedRunAdmission
  readonly errorProjector?: ErrorProjector
  /** What happens to runs whose process stopped; `RESUME` when absent. */
  readonly recovery?: RecoveryPolicy
  /** How processes that share a database watch each other. */
  readonly leases?: Partial<LeasePolicy>
  readonly retention?: Partial<Retention>
  readonly commits?: Partial<CommitPolicy>
}

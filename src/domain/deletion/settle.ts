import { decide, eventsOf } from '../../kernel/decider.ts'
import type { SessionKey } from '../../kernel/ids.ts'
import type { EventDraft } from '../event/event.ts'
import { permissionMachine } from '../permission/machine.ts'
import type { Permission } from '../permission/permission.ts'
import { permissionSnapshotOf } from '../session/announce.ts'
import { resolvedBy } from '../session/content.ts'
import type { RowWrite } from '../session/writes.ts'
import { memberOf } from './group.ts'
import type { Member, StructureChange } from './tombstone.ts'

interface Settling {
  readonly group: SessionKey
  /** The whole group. */
  readonly members: readonly Member[]
  /** The requests in it that wait. Nobody can answer them any more. */
  readonly pending: readonly Permission[]
  readonly at: number
}

/** Cancels the requests of a group, and tells of it. */
export function settleOf({ group, members, pending, at }: Settling): {
  readonly structure: Extract<StructureChange, { kind: 'settle' }>
  readonly rows: readonly RowWrite[]
  readonly events: readonly EventDraft[]
} {
  const resolved = pending.flatMap((permission) =>
    eventsOf(decide(permissionMachine, permission.state, { type: 'cancel', at })).map((event) =>
      resolvedBy(permission, event),
    ),
  )
  const concerned = new Set(resolved.map(({ sessionKey }) => sessionKey))
  return {
    structure: { kind: 'settle', group, members: members.filter(({ key }) => concerned.has(key)).map(memberOf) },
    rows: resolved.map((row) => ({ table: 'permission', op: 'update', row })),
    events: resolved.map((permission) => announced(permission, at)),
  }
}

const announced = (permission: Permission, timestamp: number): EventDraft => ({
  sessionKey: permission.sessionKey,
  timestamp,
  body: { type: 'permission.resolved', runId: permission.runId, permission: permissionSnapshotOf(permission) },
})

import type { Permission } from '../../../src/domain/permission/permission.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { callsOf } from '../calls-of.ts'
import { holds } from '../law-broken.ts'
import type { SessionState } from '../session-state.ts'

/** Follows grants from commit to commit: what is revoked stays so, and lets nothing pass any more. */
export class GrantLaws {
  readonly #clock: Pick<Clock, 'now'>
  /** When each grant was revoked, by the request that it came from. */
  readonly #revoked = new Map<string, number>()
  /** When a key was last granted in a session; `Infinity` while it is. */
  readonly #until = new Map<string, number>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  expect(before: SessionState, after: SessionState): void {
    const granted = after.grants.map(({ permissionId }) => permissionId)
    for (const { permissionId, rememberKey } of before.grants) {
      if (granted.includes(permissionId)) continue
      this.#revoked.set(permissionId, this.#clock.now())
      this.#until.set(keyOf(after, rememberKey), this.#clock.now())
    }
    for (const { rememberKey } of after.grants) this.#until.set(keyOf(after, rememberKey), Infinity)
    holds(!granted.some((id) => this.#revoked.has(id)), 'X21: what was revoked is not granted by the same answer again', granted)
    for (const permission of after.permissions.slice(before.permissions.length)) this.#expectCovered(after, permission)
  }

  /** What passes without asking is covered by a grant that there was at some time since its call was asked for. */
  #expectCovered(after: SessionState, { runId, toolCallId, rememberKey, state }: Permission): void {
    if (state.kind !== 'resolved' || state.decision !== 'GRANTED_BEFORE') return
    const run = after.runs.find((candidate) => candidate.runId === runId)
    const call = run && callsOf(after, run).find(({ body }) => body.toolCallId === toolCallId)
    const until = this.#until.get(keyOf(after, rememberKey)) ?? -1
    holds(call !== undefined && until >= call.startedAt, 'X21: what was granted until it was revoked asks again', call, until)
  }
}

const keyOf = ({ session }: SessionState, rememberKey: string | null): string => `${session.key} ${rememberKey}`

/**
 * Asks people on behalf of one run.
 *
 * A question is durable before anybody waits for its answer, and the answer before the run goes on. The run holds no slot
 * while all that it does is wait. Invariant: nobody is asked whose answer could not be used: a run that is being aborted
 * asks no more, and one that is aborted stops waiting at once.
 */
import { normalise } from '../../kernel/normalise.ts'
import { asPermissionId, type PermissionId } from '../../kernel/ids.ts'
import { cutUtf8, storable } from '../../kernel/text.ts'
import { askIssue } from '../../domain/permission/ask-rules.ts'
import type { PermissionAsk, Resolution } from '../../domain/permission/permission.ts'
import { MAX_PERMISSION_DESCRIPTION_BYTES } from '../../domain/limits.ts'
import type { AskPermission, ContentCommand, RunRef } from '../../domain/session/commands.ts'
import { sequencesOf, type Session } from '../../domain/session/session.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Stores } from '../../ports/stores/stores.ts'
import { ToolError } from '../../ports/tool-error.ts'
import type { Desk } from '../desk.ts'
import type { RunSlot } from '../run-slot.ts'
import { raced } from './raced.ts'

export interface AskerDeps {
  readonly stores: Pick<Stores, 'permissions' | 'sessions'>
  readonly clock: Clock
  readonly ids: Ids
  readonly desk: Desk
  readonly slot: RunSlot
  readonly session: Session
  readonly run: RunRef
  /** Makes a command of the run durable. Rejects when the run is being aborted, is no longer ours, or the store fails. */
  readonly commit: (command: ContentCommand) => Promise<void>
}

/** Who waits for an answer. */
export interface Waiter {
  /** The part of the call; null when it is the application that asks. */
  readonly partIndex: number | null
  readonly signal: AbortSignal
}

export class Asker {
  readonly #deps: AskerDeps

  constructor(deps: AskerDeps) {
    this.#deps = deps
  }

  /** Rejects with a `ToolError` when the question makes no sense, and with the signal's reason when that aborts. */
  async ask(ask: PermissionAsk, { partIndex, signal }: Waiter): Promise<Resolution> {
    const issue = askIssue(ask)
    if (issue !== undefined) throw new ToolError(`The request for permission is not valid: ${issue}.`)
    const { clock, ids, desk, slot, session, run, commit } = this.#deps
    const rememberKey = ask.rememberKey === undefined ? null : storable(ask.rememberKey)
    const granted = rememberKey !== null && (await this.#isGranted(rememberKey)) ? 'before' : 'not yet'
    const permissionId = asPermissionId(ids.uuid())
    const permission: AskPermission['permission'] = {
      permissionId,
      kind: storable(ask.kind),
      description: cutUtf8(storable(ask.description), MAX_PERMISSION_DESCRIPTION_BYTES),
      toolCallId: ask.toolCallId === undefined ? null : storable(ask.toolCallId),
      rememberKey,
      metadata: ask.metadata === undefined ? null : normalise(ask.metadata).value,
    }
    const at = clock.now()
    const answer = desk.expectAnswer(session.key, permissionId)
    try {
      await commit({ type: 'askPermission', run, permission, partIndex, granted, at })
      if (granted === 'before') return { decision: 'GRANTED_BEFORE', message: null, by: null, at }
      return await slot.whileWaiting(signal, raced(signal, answer))
    } finally {
      desk.forgetAnswer(permissionId)
    }
  }

  /** The answer to a request that was made by an earlier attempt of the run, and keeps its id. */
  async recall(permissionId: PermissionId, signal: AbortSignal): Promise<Resolution> {
    const { stores, desk, slot, session } = this.#deps
    const answer = desk.expectAnswer(session.key, permissionId)
    try {
      const [permission] = await stores.permissions.findMany([permissionId])
      if (permission?.state.kind === 'resolved') return permission.state
      return await slot.whileWaiting(signal, raced(signal, answer))
    } finally {
      desk.forgetAnswer(permissionId)
    }
  }

  /** By this session or one above it. */
  async #isGranted(rememberKey: string): Promise<boolean> {
    const { stores, session } = this.#deps
    const line = await stores.sessions.findBySequence(session.scopeKey, sequencesOf(session.place.path))
    const grants = await stores.permissions.grants(line.map(({ key }) => key))
    return grants.some((grant) => grant.rememberKey === rememberKey)
  }
}

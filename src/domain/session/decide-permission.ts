import { accepted, decide, eventsOf, refused, unchanged } from '../../kernel/decider.ts'
import type { PermissionId } from '../../kernel/ids.ts'
import { invalid } from '../../kernel/refusal.ts'
import { cutUtf8 } from '../../kernel/text.ts'
import { MAX_ERROR_MESSAGE_BYTES } from '../limits.ts'
import type { OpenPart, OpenTool } from '../message/message.ts'
import { permissionMachine } from '../permission/machine.ts'
import type { Permission, Resolution } from '../permission/permission.ts'
import { runMachine } from '../run/machine.ts'
import { type AbortRequest, abortOf, isOfStepUnderWay, type Run } from '../run/run.ts'
import { callMachine } from '../tool/machine.ts'
import type { AskPermission, RespondToPermission, RevokeGrant } from './commands.ts'
import { callChanged, type Content, type ContentEvent, evolve, permissionResolved, runChanged } from './content.ts'
import { current, stale } from './current.ts'
import type { ContentDecision } from './decision.ts'
import { turned } from './turned.ts'

/** Asks a person. A run that is being aborted asks nobody any more. */
export function askPermission(content: Content, command: AskPermission): ContentDecision {
  const { run: ref, permission: asked, partIndex, granted, at } = command
  const run = current(content, ref)
  if (!run) return stale
  if (abortOf(run)) return unchanged('the run is being aborted')
  const { key: sessionKey, scopeKey, next } = content.session
  const resolution: Resolution = { decision: 'GRANTED_BEFORE', message: null, by: null, at }
  const permission: Permission = {
    ...asked,
    scopeKey,
    sessionKey,
    ordinal: next.permission,
    runId: run.runId,
    createdAt: at,
    state: granted === 'before' ? { kind: 'resolved', ...resolution } : { kind: 'pending' },
  }
  const requested: ContentEvent = { type: 'permissionRequested', permission }
  if (granted === 'before') return accepted(requested)
  if (partIndex === null) return accepted(...turned(content, [requested], at))
  const call = openTool(content, partIndex)
  const waits = call ? eventsOf(decide(callMachine, call.state, { type: 'ask', permissionId: asked.permissionId })) : []
  if (!call || waits.length === 0) return unchanged('the call cannot wait for an answer')
  return accepted(...turned(content, [requested, ...callChanged(call, waits, at)], at))
}

function openTool({ open }: Content, index: number): OpenTool | undefined {
  const part = open.find(({ partIndex }) => partIndex === index)
  return part?.kind === 'tool' ? part : undefined
}

/** Answers a request. A rejection without a message ends the run. */
export function respond(content: Content, command: RespondToPermission): ContentDecision {
  const { permissionId, decision, message, by, at } = command
  const permission = content.permissions.find((candidate) => candidate.permissionId === permissionId)
  if (!permission) return refused(notPending)
  if (decision === 'ALWAYS' && permission.rememberKey === null) return refused(notRememberable)
  const resolution: Resolution = { decision, message, by, at }
  const answered = decide(permissionMachine, permission.state, { type: 'answer', resolution })
  if (answered.kind !== 'accepted') return answered
  const resolved = [...permissionResolved(permission, answered.events), ...goesOn(content, permission, at)]
  const follows =
    decision === 'REJECT' && message === null
      ? abortEvents(resolved.reduce(evolve, content), rejected(permission, command))
      : grantEvents(permission, command)
  return accepted(...turned(content, [...resolved, ...follows], at))
}

const rejected = ({ description }: Permission, { by, at }: RespondToPermission): AbortRequest => ({
  kind: 'rejected',
  message: cutUtf8(`A person rejected the request: ${description}`, MAX_ERROR_MESSAGE_BYTES),
  by,
  at,
})

const notPending = {
  code: 'PERMISSION_STATE',
  message: 'The request is not pending any more. Nothing was changed.',
} as const

const notRememberable = invalid(
  ['input', 'decision'],
  'this request has no rememberKey, so it can be answered with ONCE or REJECT only',
)

function grantEvents(permission: Permission, command: RespondToPermission): readonly ContentEvent[] {
  const { sessionKey, permissionId, rememberKey } = permission
  const { decision, granted, by: grantedBy, at: createdAt } = command
  if (decision !== 'ALWAYS' || granted === 'before' || rememberKey === null) return []
  return [{ type: 'granted', grant: { sessionKey, rememberKey, permissionId, grantedBy, createdAt } }]
}

/** The call that waited for the answer. */
function goesOn({ open }: Content, { permissionId }: Permission, at: number): readonly ContentEvent[] {
  return open.flatMap((part) =>
    part.kind === 'tool'
      ? callChanged(part, eventsOf(decide(callMachine, part.state, { type: 'answer', permissionId })), at)
      : [],
  )
}

export const revokeGrant = (_: Content, { grant, at }: RevokeGrant): ContentDecision =>
  accepted({ type: 'grantRevoked', grant, at })

/** The request to stop, if it can still be made. From then on nothing of the run waits for a person. */
export function abortEvents(content: Content, request: AbortRequest): readonly ContentEvent[] {
  const { run, permissions } = content
  const { at } = request
  const events = run ? runChanged(eventsOf(decide(runMachine, run.state, { type: 'abort', request })), at) : []
  if (events.length === 0 || permissions.length === 0) return events
  const waited = permissions.flatMap((permission) => goesOn(content, permission, at))
  return turned(content, [...events, ...permissionsCancelled(permissions, at), ...waited], at)
}

export const permissionsCancelled = (permissions: readonly Permission[], at: number): readonly ContentEvent[] =>
  permissions.flatMap((permission) =>
    permissionResolved(permission, eventsOf(decide(permissionMachine, permission.state, { type: 'cancel', at }))),
  )

/** The requests that no call of a durable step waits for: who asked is gone with the process, and asks again. */
export function unasked({ open, permissions }: Content, run: Run, at: number): readonly ContentEvent[] {
  const isAwaited = ({ permissionId }: Permission) =>
    open.some((part) => !isOfStepUnderWay(run, part.partIndex) && isAwaiting(part, permissionId))
  return permissionsCancelled(permissions.filter((permission) => !isAwaited(permission)), at)
}

/** Whether a part is a call that waits for the answer to this request. */
export const isAwaiting = (part: OpenPart, permissionId: PermissionId): boolean =>
  part.kind === 'tool' && part.state.kind === 'awaiting' && part.state.permissionId === permissionId

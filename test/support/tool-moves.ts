import fc from 'fast-check'
import { asPermissionId, asQueueId, type PermissionId } from '../../src/kernel/ids.ts'
import type { OpenTool } from '../../src/domain/message/message.ts'
import type { PermissionDecision } from '../../src/domain/permission/permission.ts'
import type { AskPermission, ContentCommand, RespondToPermission, RunRef } from '../../src/domain/session/commands.ts'
import type { Content } from '../../src/domain/session/content.ts'
import type { CallState, Effect } from '../../src/domain/tool/call.ts'
import type { Reconciliation } from '../../src/domain/tool/execution.ts'
import { deniedBecause, outcomeUnknown, type ToolResult } from '../../src/domain/tool/result.ts'
import { callWith, childWith, failed, written } from './content.ts'
import type { ContentRows } from './content-rows.ts'

/** What walks of a session wish about calls of tools, and about what people decide of them. */

export type ToolMove = Extract<
  ContentCommand['type'],
  'openTool' | 'askPermission' | 'respond' | 'beginTool' | 'delegateTool' | 'endTool' | 'revokeGrant' | 'reconcile'
>

export interface ToolWish {
  readonly effect: Effect
  readonly asks: 'call' | 'application'
  readonly rememberKey: string | null
  readonly answers: 'a request that waits' | 'any request'
  readonly decision: PermissionDecision
  readonly message: string | null
  readonly result: ToolResult
  readonly found: Reconciliation
}

export const toolWishes: fc.Arbitrary<ToolWish> = fc.record({
  effect: fc.constantFrom<Effect>('once', 'once', 'repeatable', 'none', 'child'),
  asks: fc.constantFrom('call', 'application'),
  rememberKey: fc.constantFrom('write', 'shell', null),
  answers: fc.constantFrom('a request that waits', 'a request that waits', 'any request'),
  decision: fc.constantFrom<PermissionDecision>('ONCE', 'ONCE', 'ALWAYS', 'ALWAYS', 'REJECT'),
  message: fc.constantFrom('Not now.', null),
  result: fc.constantFrom<ToolResult>(written, written, deniedBecause('Not now.'), outcomeUnknown),
  found: fc.constantFrom<Reconciliation>(
    { outcome: 'SUCCEEDED', output: 1 },
    { outcome: 'FAILED', error: failed.error },
    { outcome: 'NOT_EXECUTED' },
  ),
})

export interface ToolSituation {
  readonly content: Content
  /** What is stored. */
  readonly rows: ContentRows
  readonly run: RunRef
  readonly pick: number
  readonly at: number
}

export function toolCommandOf(situation: ToolSituation, type: ToolMove, wish: ToolWish): ContentCommand {
  const { content, rows, run, pick, at } = situation
  switch (type) {
    case 'openTool': {
      const partIndex = (content.run?.partCount ?? 0) + (pick % 3 === 2 ? -1 : pick % 3)
      return { type, run, partIndex, call: callWith({ toolCallId: `call at ${at}`, effect: wish.effect }), at }
    }
    case 'askPermission':
      return ask(situation, wish)
    case 'beginTool':
      return { type, run, partIndex: callAt(situation, 'pending'), at }
    case 'delegateTool':
      return { type, run, partIndex: callAt(situation, 'running'), child: childWith({ queueId: asQueueId(`task ${at}`) }), at }
    case 'endTool':
      return { type, run, partIndex: callAt(situation, 'running'), result: wish.result, ...modelOf(pick), at }
    case 'respond':
      return respond(situation, wish)
    case 'revokeGrant': {
      const grant = [...rows.grants.values()][pick]
      return grant ? { type, grant, at } : respond(situation, wish)
    }
    case 'reconcile': {
      const execution = [...rows.executions.values()].toReversed()[pick]
      return execution ? { type, execution, found: wish.found, by: 'bob', at } : respond(situation, wish)
    }
  }
}

const modelOf = (pick: number) => (pick === 0 ? {} : { childModel: { provider: 'offline', id: 'echo' } })

function ask(situation: ToolSituation, { asks, rememberKey }: ToolWish): AskPermission {
  const { rows, run, at } = situation
  const partIndex = asks === 'call' ? callAt(situation, 'pending') : null
  const permission = {
    permissionId: asPermissionId(`request at ${at}`),
    kind: 'tool',
    description: 'May it?',
    toolCallId: null,
    rememberKey,
    metadata: null,
  }
  return { type: 'askPermission', run, permission, partIndex, granted: grantedFor(rows, rememberKey), at }
}

function respond(situation: ToolSituation, { answers, decision, message }: ToolWish): RespondToPermission {
  const { content, rows, pick, at } = situation
  const candidates = answers === 'any request' ? [...rows.permissions.values()].toReversed() : content.permissions
  const request = candidates[pick % Math.max(1, candidates.length)]
  const permissionId: PermissionId = request?.permissionId ?? asPermissionId('unknown')
  const granted = grantedFor(rows, request?.rememberKey ?? null)
  return {
    type: 'respond',
    permissionId,
    decision,
    message: decision === 'REJECT' ? message : null,
    granted,
    by: 'bob',
    at,
  }
}

const grantedFor = ({ grants }: ContentRows, key: string | null): 'before' | 'not yet' =>
  key !== null && grants.has(key) ? 'before' : 'not yet'

/** The index of an open call: those that are as wished come first. Without one, of a part that may be anything. */
function callAt({ content: { open }, pick }: ToolSituation, kind: CallState['kind']): number {
  const calls = open.filter((part): part is OpenTool => part.kind === 'tool')
  const isWished = (call: OpenTool) => call.state.kind === kind
  const candidates = [...calls.filter(isWished), ...calls.filter((call) => !isWished(call))]
  return candidates[pick % Math.max(1, candidates.length)]?.partIndex ?? pick
}

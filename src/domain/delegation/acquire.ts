import { invalid, type RefusalOf } from '../../kernel/refusal.ts'
import type { RunId, SessionId } from '../../kernel/ids.ts'
import type { Entry } from '../prompt/entry.ts'
import type { Session } from '../session/session.ts'
import type { SubagentDefinition } from './definition.ts'

/** A session that has the id of the child, with its entries: those that have not finished and the latest others. */
export interface Candidate {
  readonly session: Session
  readonly entries: readonly Entry[]
}

export interface Wish {
  readonly parent: Pick<Session, 'key' | 'place'>
  readonly runId: RunId
  readonly toolCallId: string
  readonly agent: string
  readonly childId: SessionId
  /** Whether the model named the child. */
  readonly by: 'taskId' | 'origin'
  /** What has the id of the child: a session, or one that is being deleted. */
  readonly existing: Candidate | 'tombstoned' | undefined
  /** The sessions on the way from the root to the parent, the parent included. */
  readonly line: readonly Pick<Session, 'sessionId' | 'key'>[]
  /** The calls of the run that have acquired children, by the ids of these. */
  readonly acquired: ReadonlyMap<SessionId, string>
  readonly definitions: readonly SubagentDefinition[]
  readonly maxDepth: number
  readonly recovery: 'RESUME' | 'FAIL'
}

export type Acquisition =
  | { readonly kind: 'create' }
  /** Goes on with a child of an earlier run. */
  | { readonly kind: 'resume'; readonly candidate: Candidate }
  /** Takes a child that this very call has made. */
  | { readonly kind: 'reattach'; readonly entry: Entry }
  | { readonly kind: 'refused'; readonly refusal: AcquisitionRefusal }

export type AcquisitionRefusal = RefusalOf<'VALIDATION_FAILED'> | RefusalOf<'SESSION_BUSY'>

/** Which child a call gets. */
export function acquire(wish: Wish): Acquisition {
  const { parent, agent, childId, line, definitions, maxDepth, acquired, toolCallId } = wish
  if (!definitions.some(({ name }) => name === agent)) return no(unknownAgent(agent, definitions))
  if (parent.place.depth >= maxDepth) return no(tooDeep(maxDepth))
  // Below a line with a gap nothing begins, and no session is its own descendant.
  if (line.length !== parent.place.depth + 1 || line.at(-1)?.key !== parent.key) return no(brokenLine)
  if (line.some(({ sessionId }) => sessionId === childId)) return no(unusableTaskId)
  const owner = acquired.get(childId)
  if (owner !== undefined && owner !== toolCallId) return no(unusableTaskId)
  return wish.by === 'taskId' ? byTaskId(wish) : byOrigin(wish)
}

function byTaskId({ parent, runId, agent, existing }: Wish): Acquisition {
  if (!existing || existing === 'tombstoned') return no(unusableTaskId)
  const { place, work } = existing.session
  const isOurs = place.parentKey === parent.key && place.agent === agent && place.origin !== null
  if (!isOurs || place.origin.parentRunId === runId) return no(unusableTaskId)
  return work.kind === 'idle' ? { kind: 'resume', candidate: existing } : no(busy)
}

function byOrigin({ parent, runId, toolCallId, agent, existing, recovery }: Wish): Acquisition {
  if (!existing) return { kind: 'create' }
  if (existing === 'tombstoned') return no(idTaken)
  const { place } = existing.session
  const { origin } = place
  const isExact = origin?.parentRunId === runId && origin.parentToolCallId === toolCallId
  if (!isExact || place.parentKey !== parent.key || place.agent !== agent) return no(idTaken)
  const entry = existing.entries.find(({ delegation }) => delegation?.parentRunId === runId && delegation.toolCallId === toolCallId)
  if (!entry) return { kind: 'resume', candidate: existing }
  return recovery === 'RESUME' ? { kind: 'reattach', entry } : no(uncertain)
}

const no = (refusal: AcquisitionRefusal): Acquisition => ({ kind: 'refused', refusal })

export const unknownAgent = (agent: string, definitions: readonly SubagentDefinition[]) =>
  invalid(['subagentType'], `there is no subagent ${JSON.stringify(agent)}; there are ${namesOf(definitions)}`)

const namesOf = (definitions: readonly SubagentDefinition[]): string =>
  definitions.map(({ name }) => JSON.stringify(name)).join(', ')

const tooDeep = (maxDepth: number) =>
  invalid(['subagentType'], `subagents of this depth may not delegate any further: the limit is ${maxDepth}`)

const brokenLine = invalid(['subagentType'], 'a session above this one is being deleted, so nothing new begins below it')

/** The same whatever is wrong with the id: it says nothing of what there is. */
const unusableTaskId = invalid(
  ['taskId'],
  'this id cannot be used. Omit taskId to start a new child; to go on with one, use the taskId that an earlier, completed ' +
    'call with the same subagentType returned in this session, in a later run, and once in a run',
)

const idTaken = invalid(['taskId'], 'the child of this call cannot be made. Delegate again with a new call')

const uncertain = invalid(
  ['taskId'],
  'an earlier execution of this call has begun and may have had effects, so it is not repeated. Delegate again with a new call',
)

const busy: RefusalOf<'SESSION_BUSY'> = {
  code: 'SESSION_BUSY',
  message: 'The child of this taskId is still at work. Use it in a later run, or omit taskId to start a new child.',
}

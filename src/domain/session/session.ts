import type { JsonObject } from '../../kernel/json.ts'
import type { Generation, RunId, ScopeKey, SessionId, SessionKey } from '../../kernel/ids.ts'
import type { Usage } from '../run/usage.ts'

/** Whether a session works, and what it is doing now. */
export type Work =
  | { readonly kind: 'idle'; readonly since: number }
  | { readonly kind: 'queued'; readonly since: number }
  | {
      readonly kind: 'running'
      readonly since: number
      readonly runId: RunId
      /** The run's ordinal. */
      readonly run: number
      readonly doing: Doing
    }

export type Doing = 'THINKING' | 'RESPONDING' | 'CALLING_TOOL' | 'DELEGATING' | 'AWAITING_PERMISSION' | 'AWAITING_RECONCILIATION'

/** In ascending weight: of a subtree the heaviest is shown. */
export type SessionStatus = 'IDLE' | 'BUSY' | 'AWAITING_PERMISSION'

export type ActivityKind = 'IDLE' | 'QUEUED' | Doing

/** The call of a parent's run that created a child session. Never changes. */
export interface Origin {
  readonly parentRunId: RunId
  readonly parentToolCallId: string
}

/** Where a session stands in the tree. Never changes. */
export interface Place {
  readonly parentKey: SessionKey | null
  /** Its own key for a root. */
  readonly rootKey: SessionKey
  /** 0 for a root, its parent's + 1 for a child. */
  readonly depth: number
  /** The generation sequences from the root down to this session, 12 digits each: a prefix means an ancestor. */
  readonly path: string
  readonly agent: string | null
  readonly origin: Origin | null
}

/** One conversation, without its content. */
export interface Session {
  readonly key: SessionKey
  readonly scopeKey: ScopeKey
  readonly sessionId: SessionId
  readonly generation: Generation
  readonly place: Place
  readonly title: string | null
  readonly metadata: JsonObject | null
  readonly createdBy: string
  readonly createdAt: number
  /** Moves when a prompt is queued or cancelled and when a run begins or ends, at no other time. */
  readonly updatedAt: number
  /** Raised by one by every commit of the session's content: what a compare-and-set expects. */
  readonly revision: number
  /** Raised by every admission: the fencing token of the run that it admits. */
  readonly epoch: number
  readonly work: Work
  /** The process that executes its run; null when none runs. */
  readonly owner: string | null
  /** The next ordinals of what the session owns. */
  readonly next: Counters
  readonly usage: Usage
}

export interface Counters {
  readonly entry: number
  readonly run: number
  readonly message: number
  readonly log: number
  readonly permission: number
  readonly execution: number
}

export const statusOf = ({ work }: Pick<Session, 'work'>): SessionStatus => {
  if (work.kind === 'idle') return 'IDLE'
  return work.kind === 'running' && work.doing === 'AWAITING_PERMISSION' ? 'AWAITING_PERMISSION' : 'BUSY'
}

export const activityOf = ({ work }: Pick<Session, 'work'>): ActivityKind => {
  switch (work.kind) {
    case 'idle':
      return 'IDLE'
    case 'queued':
      return 'QUEUED'
    case 'running':
      return work.doing
  }
}

const PATH_STEP = 12

/** The path of a session below `parentPath` ('' for a root). */
export const pathBelow = (parentPath: string, generationSequence: number): string =>
  parentPath + String(generationSequence).padStart(PATH_STEP, '0')

/** The generation sequences on a path, root first, the session's own last. */
export const sequencesOf = (path: string): readonly number[] =>
  Array.from({ length: path.length / PATH_STEP }, (_, i) => Number(path.slice(i * PATH_STEP, (i + 1) * PATH_STEP)))

/** The path itself and those of all ancestors, shortest first. */
export const prefixesOf = (path: string): readonly string[] =>
  Array.from({ length: path.length / PATH_STEP }, (_, i) => path.slice(0, (i + 1) * PATH_STEP))

/** The part of a path that names its root, and is the path of that root. */
export const rootOf = (path: string): string => path.slice(0, PATH_STEP)

/** True for the session at `path` and all of its descendants. */
export const isWithin = (path: string, candidate: string): boolean => candidate.startsWith(path)

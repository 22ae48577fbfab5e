import type { ScopeKey, SessionKey } from '../../kernel/ids.ts'
import type { LogEntry } from '../log/entry.ts'
import type { Grant } from '../permission/grant.ts'
import type { Permission } from '../permission/permission.ts'
import type { UncertainExecution } from '../tool/execution.ts'
import type { Message, Part } from '../message/message.ts'
import type { Entry } from '../prompt/entry.ts'
import type { Prompt } from '../prompt/prompt.ts'
import type { Run } from '../run/run.ts'
import type { Usage } from '../run/usage.ts'
import type { Place, Session } from './session.ts'

/** Remembers that a client's request was carried out, so that its repetition gets the same answer. */
export interface ClientRequest {
  readonly scopeKey: ScopeKey
  /** The session that was asked, or 0 for requests to the scope. */
  readonly owner: SessionKey | 0
  readonly clientRequestId: string
  /** Digest of the whole input. */
  readonly digest: string
  /** The id of what the request made: a session id or a queue id. */
  readonly result: string
  readonly createdAt: number
}

/** Text that a streaming part gained, kept apart until the part is complete. */
export interface Chunk {
  readonly sessionKey: SessionKey
  readonly messageIndex: number
  readonly partIndex: number
  /** UTF-16 units before this chunk. */
  readonly offset: number
  readonly text: string
}

/**
 * One changed row. `insert` makes a row that must not exist; `update` replaces the fields that can change of one that must.
 * `fold` removes the chunks of a part; `delete` removes a row, if it is there.
 */
export type RowWrite =
  | { readonly table: 'entry'; readonly op: 'insert'; readonly row: Entry; readonly prompt: Prompt }
  | { readonly table: 'entry'; readonly op: 'update'; readonly row: Entry }
  | { readonly table: 'run'; readonly op: 'insert' | 'update'; readonly row: Run }
  | { readonly table: 'message'; readonly op: 'insert' | 'update'; readonly row: Message }
  | { readonly table: 'part'; readonly op: 'insert' | 'update'; readonly row: Part }
  | { readonly table: 'chunk'; readonly op: 'insert'; readonly row: Chunk }
  | { readonly table: 'chunk'; readonly op: 'fold'; readonly row: Omit<Chunk, 'offset' | 'text'> }
  | { readonly table: 'log'; readonly op: 'insert'; readonly row: LogEntry }
  | { readonly table: 'permission'; readonly op: 'insert' | 'update'; readonly row: Permission }
  | { readonly table: 'grant'; readonly op: 'insert' | 'delete'; readonly row: Grant }
  | { readonly table: 'execution'; readonly op: 'insert' | 'update'; readonly row: UncertainExecution }
  | { readonly table: 'request'; readonly op: 'insert'; readonly row: ClientRequest }

/** A session that a commit creates. The store sets the generation sequence and, from it, the path. */
export interface NewSession extends Omit<Session, 'generation' | 'place'> {
  readonly generationId: Session['generation']['generationId']
  readonly place: Omit<Place, 'path'> & { readonly parentPath: string }
}

/**
 * The row of a session whose content changes: `row` as it shall be, if revision and epoch still are as expected. The
 * title is the one of that revision; stores learn from it whether `row` has another.
 */
export interface SessionWrite {
  readonly row: Session
  readonly expected: Pick<Session, 'revision' | 'epoch' | 'title'>
}

/** Adds to the totals of a session and its ancestors. Commutative, so it needs no compare-and-set. */
export interface RollUp {
  readonly scopeKey: ScopeKey
  /** The paths of the sessions that gain. */
  readonly paths: readonly string[]
  readonly usage: Usage
  readonly descendants: number
}

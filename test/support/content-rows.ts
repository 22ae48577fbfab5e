import type { LogEntry } from '../../src/domain/log/entry.ts'
import {
  isStreaming,
  type Message,
  type OpenPart,
  type Part,
  type ToolPartBody,
} from '../../src/domain/message/message.ts'
import type { Grant } from '../../src/domain/permission/grant.ts'
import type { Permission } from '../../src/domain/permission/permission.ts'
import type { Entry } from '../../src/domain/prompt/entry.ts'
import { isLive, type Run } from '../../src/domain/run/run.ts'
import type { Content } from '../../src/domain/session/content.ts'
import type { Session } from '../../src/domain/session/session.ts'
import type { Chunk, RowWrite } from '../../src/domain/session/writes.ts'
import type { CallState } from '../../src/domain/tool/call.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'

/**
 * The rows of one session, as the smallest store that keeps them: what is inserted must be new, what is updated must be
 * there.
 */
export class ContentRows {
  readonly entries = new Map<number, Entry>()
  readonly runs = new Map<number, Run>()
  readonly messages = new Map<number, Message>()
  readonly log = new Map<number, LogEntry>()
  readonly parts = new Map<string, Part>()
  readonly chunks = new Map<string, Chunk>()
  readonly permissions = new Map<number, Permission>()
  readonly grants = new Map<string, Grant>()
  readonly executions = new Map<number, UncertainExecution>()

  apply(write: RowWrite): void {
    switch (write.table) {
      case 'entry':
        return put(this.entries, write.row.ordinal, write)
      case 'run':
        return put(this.runs, write.row.ordinal, write)
      case 'message':
        return put(this.messages, write.row.index, write)
      case 'log':
        return put(this.log, write.row.index, write)
      case 'part':
        return put(this.parts, partOf(write.row), write)
      case 'chunk':
        return write.op === 'insert'
          ? put(this.chunks, `${partOf(write.row)}/${write.row.offset}`, write)
          : this.#fold(write.row)
      case 'permission':
        return put(this.permissions, write.row.ordinal, write)
      case 'grant':
        return write.op === 'insert'
          ? put(this.grants, write.row.rememberKey, { op: 'insert', row: write.row })
          : void this.grants.delete(write.row.rememberKey)
      case 'execution':
        return put(this.executions, write.row.ordinal, write)
      case 'request':
        throw new Error('No decision about content remembers a request.')
    }
  }

  /** What would be loaded. */
  contentOf(session: Session): Content {
    const outstanding = [...this.entries.values()].filter(({ state }) => state.kind !== 'finished')
    const run = [...this.runs.values()].find(isLive) ?? null
    const open = [...this.parts.values()].filter(({ messageIndex }) => messageIndex === run?.assistantMessageIndex)
    return {
      session,
      entries: outstanding.toSorted((a, b) => a.rank - b.rank),
      run,
      open: open.flatMap(openOf),
      permissions: [...this.permissions.values()].filter(({ state }) => state.kind === 'pending'),
    }
  }

  /** The chunks of a part, put together; throws when there is a gap between them. */
  chunkText(part: Pick<Part, 'messageIndex' | 'partIndex'>): string {
    const chunks = [...this.chunks.values()].filter((chunk) => partOf(chunk) === partOf(part))
    return chunks.reduce((text, chunk) => {
      if (chunk.offset !== text.length) throw new Error(`A chunk of ${partOf(part)} is missing.`)
      return text + chunk.text
    }, '')
  }

  #fold(part: Omit<Chunk, 'offset' | 'text'>): void {
    for (const [key, chunk] of this.chunks) if (partOf(chunk) === partOf(part)) this.chunks.delete(key)
  }
}

const partOf = ({ messageIndex, partIndex }: Pick<Part, 'messageIndex' | 'partIndex'>) => `${messageIndex}/${partIndex}`

function openOf({ partIndex, status, body, startedAt, finishedAt }: Part): readonly OpenPart[] {
  if (finishedAt !== null || body.kind === 'attachment') return []
  if (isStreaming(body)) return [{ partIndex, kind: body.kind, startedAt }]
  const { kind, permissionId, begunAt: _begunAt, child, output: _output, error: _error, ...call } = body
  return [{ partIndex, kind, startedAt, call, permissionId, child, state: callStateOf(status, body) }]
}

function callStateOf(status: Part['status'], { permissionId, begunAt }: ToolPartBody): CallState {
  const before = begunAt === null ? {} : { begunBefore: begunAt }
  if (status === 'RUNNING' && begunAt !== null) return { kind: 'running', since: begunAt }
  if (status === 'UNCERTAIN' && begunAt !== null) return { kind: 'unknown', since: begunAt }
  if (status === 'AWAITING_PERMISSION' && permissionId !== null) return { kind: 'awaiting', permissionId, ...before }
  if (status === 'PENDING') return { kind: 'pending', ...before }
  throw new Error(`A call that is open cannot be ${status}.`)
}

interface Put<Row> {
  readonly op: 'insert' | 'update'
  readonly row: Row
}

function put<Key extends string | number, Row>(table: Map<Key, Row>, key: Key, { op, row }: Put<Row>): void {
  if (op === 'insert' && table.has(key)) throw new Error(`There is a row ${key} already.`)
  if (op === 'update' && !table.has(key)) throw new Error(`There is no row ${key}.`)
  table.set(key, row)
}

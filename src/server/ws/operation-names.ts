/*
 * Names the operations of one connection. A client may give an operation the id of one that it has completed, before
 * that one has come to its end; the library would mix the two up, and one of them would stay for ever. So the library
 * gets ids that never come again, and the client gets back its own. Owns who is under way until `end`.
 */
const BEGINNING = '{"id":"'

/** Stands for all ids under which nothing is under way. */
const NOBODY = '0'

const SAID_BY_SERVERS = ['connection_ack', 'next', 'error'] as const

type Message = { readonly type?: unknown; readonly id?: unknown }

export type Incoming =
  /** What the library gets; `operation` is the one that it begins. */
  | { readonly kind: 'message'; readonly text: string; readonly operation?: string }
  /** An id of an operation that the client has not completed. */
  | { readonly kind: 'taken' }
  /** What only servers say. */
  | { readonly kind: 'invalid' }

export class OperationNames {
  /** What clients call the operations that are under way. */
  readonly #clientIds = new Map<string, string>()
  /** Those of them that the client has not completed. */
  readonly #open = new Map<string, string>()
  #last = 0

  /** Operations that have begun and not ended. */
  get size(): number {
    return this.#clientIds.size
  }

  clientIdOf(operation: string): string {
    return this.#clientIds.get(operation) ?? ''
  }

  /** Reads what the client sent. Begins an operation, until `end`, when that is what it asks for. */
  read(text: string): Incoming {
    const message = parsed(text)
    const { type, id } = message ?? {}
    if (SAID_BY_SERVERS.some((said) => said === type)) return { kind: 'invalid' }
    if (!message || typeof id !== 'string' || id === '') return { kind: 'message', text }
    if (type === 'complete') return { kind: 'message', text: JSON.stringify({ ...message, id: this.#complete(id) }) }
    if (type !== 'subscribe') return { kind: 'message', text }
    if (this.#open.has(id)) return { kind: 'taken' }
    const operation = String(++this.#last)
    const renamed = JSON.stringify({ ...message, id: operation })
    this.#clientIds.set(operation, id)
    this.#open.set(id, operation)
    return { kind: 'message', text: renamed, operation }
  }

  /** What the client gets of a frame of the library. */
  written(frame: string): string {
    if (!frame.startsWith(BEGINNING)) return frame
    const end = frame.indexOf('"', BEGINNING.length)
    const operation = frame.slice(BEGINNING.length, end)
    return `{"id":${JSON.stringify(this.clientIdOf(operation))}${frame.slice(end + 1)}`
  }

  /** Nothing more comes of it. */
  end(operation: string): void {
    const id = this.clientIdOf(operation)
    this.#clientIds.delete(operation)
    if (this.#open.get(id) === operation) this.#open.delete(id)
  }

  #complete(id: string): string {
    const operation = this.#open.get(id) ?? NOBODY
    this.#open.delete(id)
    return operation
  }
}

function parsed(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return typeof message === 'object' && message !== null && !Array.isArray(message) ? message : undefined
  } catch {
    return undefined
  }
}

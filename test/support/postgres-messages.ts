/** A message of PostgreSQL's protocol 3, without TLS. The type of what a client says before it is let in is ''. */
export interface Message {
  readonly type: string
  /** All of it, as it goes over the wire. */
  readonly bytes: Buffer
  readonly body: Buffer
}

/** Puts the messages of one side together again, whatever pieces they come in. */
export class MessageReader {
  #rest: Buffer = Buffer.alloc(0)
  #isLetIn: boolean

  constructor(side: 'client' | 'server') {
    this.#isLetIn = side === 'server'
  }

  read(data: Buffer): readonly Message[] {
    this.#rest = Buffer.concat([this.#rest, data])
    const messages: Message[] = []
    for (let message = this.#next(); message; message = this.#next()) messages.push(message)
    return messages
  }

  #next(): Message | undefined {
    const head = this.#isLetIn ? 1 : 0
    if (this.#rest.length < head + 4) return undefined
    const end = head + this.#rest.readUInt32BE(head)
    if (this.#rest.length < end) return undefined
    const bytes = this.#rest.subarray(0, end)
    this.#rest = this.#rest.subarray(end)
    this.#isLetIn = true
    return { type: bytes.toString('latin1', 0, head), bytes, body: bytes.subarray(head + 4) }
  }
}

/** Knows which statement a client has carried out: by its text, or by the name under which it was prepared before. */
export class Statements {
  readonly #texts = new Map<string, string>()

  /** The text of the statement that the message of a client starts, if it starts one. */
  startedBy({ type, body }: Message): string | undefined {
    const [first = '', second = ''] = body.toString('utf8').split('\0', 2)
    if (type === 'Q') return first
    if (type === 'P') this.#texts.set(first, second)
    return type === 'B' ? this.#texts.get(second) : undefined // the portal's name comes first
  }
}

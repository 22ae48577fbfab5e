import type net from 'node:net'
import type { Cut, Fault, FaultPlan } from './postgres-fault.ts'
import { type Message, MessageReader, Statements } from './postgres-messages.ts'

export interface ProxiedConnectionDeps {
  readonly client: net.Socket
  readonly upstream: net.Socket
  readonly plan: FaultPlan
  /** True while nothing gets through at all. */
  readonly isDark: () => boolean
  /** Told when anything below may have changed. */
  readonly changed: () => void
}

/** Ends of a query, in what a client says: the server answers from here on. */
const ENDS = new Set(['Q', 'S', 'X'])
/** The end of what the server says to one statement: it is complete, or it failed. */
const ANSWERS = new Set(['C', 'E'])

/** One connection of a client's through the proxy, with the one of the proxy's to the server that belongs to it. */
export class ProxiedConnection {
  readonly #deps: ProxiedConnectionDeps
  readonly #statements = new Statements()
  readonly #toServer: Buffer[] = []
  readonly #toClient: Buffer[] = []
  #isDelayed = false
  #isMute = false
  #cutAtAnswer: Cut | undefined
  #cutAtEnd: Extract<Fault, { kind: 'cutAndDeliver' }> | undefined
  #cutLater: { readonly by: Cut; messages: number } | undefined
  #hasClient = true
  #hasServer = true

  constructor(deps: ProxiedConnectionDeps) {
    this.#deps = deps
    const { client, upstream } = deps
    const said = { client: new MessageReader('client'), server: new MessageReader('server') }
    client.on('data', (data) => {
      for (const message of said.client.read(data)) this.#fromClient(message)
    })
    upstream.on('data', (data) => {
      for (const message of said.server.read(data)) this.#fromServer(message)
    })
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
    }
    client.on('close', () => {
      this.#hasClient = false
      this.flush()
    })
    upstream.on('close', () => {
      this.#hasServer = false
      this.flush()
    })
  }

  get hasClient(): boolean {
    return this.#hasClient
  }

  get isOver(): boolean {
    return !this.#hasClient && !this.#hasServer
  }

  /** True unless something is on its way to the server, or the server does not know yet that the client has gone. */
  get isSettled(): boolean {
    return this.#hasClient ? this.#toServer.length === 0 && !this.#isDelayed : !this.#hasServer
  }

  destroy(): void {
    this.#deps.client.destroy()
    this.#deps.upstream.destroy()
  }

  /** Passes on what may be passed on, and then the end of either side. */
  flush(): void {
    const { client, upstream, isDark, changed } = this.#deps
    if (!isDark()) {
      if (!this.#isDelayed) {
        for (const bytes of this.#toServer.splice(0)) upstream.write(bytes)
        if (!this.#hasClient) upstream.end()
      }
      for (const bytes of this.#toClient.splice(0)) client.write(bytes)
      if (!this.#hasServer) client.end()
    }
    changed()
  }

  #fromClient(message: Message): void {
    const sql = this.#statements.startedBy(message)
    if (sql !== undefined) this.#meet(this.#deps.plan(sql))
    if (this.#deps.upstream.destroyed) return
    this.#toServer.push(message.bytes)
    if (this.#cutAtEnd && ENDS.has(message.type)) this.#cutOff(this.#cutAtEnd.by)
    this.flush()
    this.#count()
  }

  #fromServer(message: Message): void {
    if (this.#cutAtAnswer && ANSWERS.has(message.type)) return this.#cut(this.#cutAtAnswer)
    if (this.#isMute || !this.#hasClient) return
    this.#toClient.push(message.bytes)
    this.flush()
    this.#count()
  }

  #meet(fault: Fault | undefined): void {
    if (!fault) return
    switch (fault.kind) {
      case 'cutBefore':
        return this.#cut(fault.by)
      case 'cutAfter':
        this.#cutAtAnswer = fault.by
        return
      case 'cutAndDeliver':
        this.#cutAtEnd = fault
        return this.#delay(fault.afterMs)
      case 'silence':
        this.#isMute = true
        return
      case 'delay':
        return this.#delay(fault.ms)
      case 'cutLater':
        this.#cutLater = { ...fault }
        return
    }
  }

  #delay(ms: number): void {
    this.#isDelayed = true
    setTimeout(() => {
      this.#isDelayed = false
      this.flush()
    }, ms)
  }

  #count(): void {
    if (this.#cutLater && --this.#cutLater.messages <= 0) this.#cut(this.#cutLater.by)
  }

  #cut(by: Cut): void {
    this.#cutOff(by)
    this.#deps.upstream.destroy()
  }

  #cutOff(by: Cut): void {
    if (by === 'RST') this.#deps.client.resetAndDestroy()
    else this.#deps.client.destroy()
  }
}

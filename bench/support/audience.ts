import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Child } from './child.ts'

/** What one watches in the README's first minute, of the whole scope. */
const EVENTS = `subscription {
  events(scopeId: "default") {
    type
    sequence
    cursor
    ... on PartDeltaEvent { delta }
    ... on RunFinishedEvent { status error { code message } }
  }
}`

/** Many who listen, each over a socket of its own. They count frames and do not read them. */
export interface Audience extends AsyncDisposable {
  /** All that have come. */
  readonly frames: number
  /** A frame as most of them are. */
  readonly typicalFrame: string
  /** Resolves when `work` is done and so many frames have come since it began. */
  whileTold(frames: number, work: () => Promise<unknown>): Promise<void>
  /** Resolves when `work` is done and everybody has had a frame with this text since it began. */
  untilAllHave(text: string, work: () => Promise<unknown>): Promise<void>
}

export async function subscribedAudience(child: Child, size: number): Promise<Audience> {
  const sockets: WebSocket[] = []
  for (let i = 0; i < size; i++) {
    const socket = new WebSocket(child.url.replace('http:', 'ws:'), 'graphql-transport-ws')
    sockets.push(socket)
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init' }))
    await once(socket, 'message')
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: EVENTS } }))
  }
  await child.ask('attached', size)
  return audienceOf(sockets)
}

export async function bareAudience(child: Child, size: number): Promise<Audience> {
  const sockets: WebSocket[] = []
  for (let i = 0; i < size; i++) {
    const socket = new WebSocket(child.url)
    sockets.push(socket)
    await once(socket, 'open')
  }
  return audienceOf(sockets)
}

interface Wait {
  /** What counts as a frame that is waited for. */
  readonly fits: (frame: Buffer) => boolean
  left: number
  readonly done: () => void
}

function audienceOf(sockets: readonly WebSocket[]): Audience {
  let frames = 0
  let typical: Buffer | undefined
  let waiting: Wait | undefined
  for (const socket of sockets) {
    socket.on('message', (data: Buffer) => {
      frames++
      // One of many: the first ones may tell of other things.
      if (frames % 16 === 1) typical = data
      if (waiting?.fits(data) === true && --waiting.left === 0) waiting.done()
    })
  }
  const until = async (wait: Omit<Wait, 'done'>, work: () => Promise<unknown>): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { ...wait, done: resolve }
    await Promise.all([promise, work()])
    waiting = undefined
  }
  return {
    get frames() {
      return frames
    },
    get typicalFrame() {
      return typical?.toString() ?? ''
    },
    whileTold: (left, work) => until({ fits: () => true, left }, work),
    untilAllHave: (text, work) => until({ fits: (frame) => frame.includes(text), left: sockets.length }, work),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate()
    },
  }
}

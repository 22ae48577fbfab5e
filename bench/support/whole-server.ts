import { type Client, createClient } from 'graphql-ws'
import { randomUUID } from 'node:crypto'
import { WebSocket } from 'ws'
import { type Child, startChild } from './child.ts'
import { assertLength, type Contender, type Conversation, type RunTimes } from './contender.ts'
import { lengthOfAnswer } from './fake-model.ts'
import { exampleOperation, post } from './operations.ts'

const SCOPE = 'default'
const create = exampleOperation('01-create-session')
const enqueue = exampleOperation('03-enqueue')
const events = exampleOperation('02-events')

interface Event {
  readonly __typename: string
  readonly delta?: string
  readonly part?: { readonly text?: string }
  readonly status?: string
}

/**
 * The whole server, a process of its own, which this one asks: a prompt by POST, and its answer by a subscription over
 * WebSocket, which is there before. `database` is `memory` or a URL.
 */
export async function wholeServer(name: string, database: string): Promise<Contender> {
  const child = await startChild('harness', database)
  const url = child.url.replace('http:', 'ws:')
  const client = createClient({ url, webSocketImpl: WebSocket, lazy: false, retryAttempts: 0 })
  let open = 0
  return {
    name,
    async conversation() {
      const sessionId = randomUUID()
      await post(child.url, create, { input: { scopeId: SCOPE, sessionId } })
      const watched = watch({ child, client, sessionId })
      await child.ask('attached', ++open)
      return {
        ask: watched.ask,
        async [Symbol.asyncDispose]() {
          watched.stop()
          await child.ask('attached', --open)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await client.dispose()
      await child[Symbol.asyncDispose]()
    },
  }
}

interface Watch {
  readonly child: Child
  readonly client: Client
  readonly sessionId: string
}

function watch({ child, client, sessionId }: Watch): Pick<Conversation, 'ask'> & { readonly stop: () => void } {
  let listener: ((event: Event) => void) | undefined
  let fail: ((error: unknown) => void) | undefined
  const stop = client.subscribe<{ readonly events: Event }>(
    { query: events, variables: { scope: SCOPE, session: sessionId } },
    {
      next: ({ data, errors }) => (data ? listener?.(data.events) : fail?.(new Error(JSON.stringify(errors)))),
      error: (error) => fail?.(error),
      complete: () => fail?.(new Error('The subscription ended.')),
    },
  )
  async function ask(deltas: number): Promise<RunTimes> {
    const { promise, resolve, reject } = Promise.withResolvers<RunTimes>()
    const start = performance.now()
    let firstDelta: number | undefined
    let text = ''
    fail = reject
    listener = ({ __typename: type, delta, part, status }) => {
      if (type === 'PartDeltaEvent') text += delta
      if (type === 'PartSnapshotEvent') text = part?.text ?? ''
      if (text !== '') firstDelta ??= performance.now() - start
      if (type !== 'RunFinishedEvent') return
      const end = performance.now() - start
      if (status === 'COMPLETED') resolve({ firstDelta: firstDelta ?? end, end })
      else reject(new Error(`The run ended ${status}.`))
    }
    const input = { scopeId: SCOPE, sessionId, text: String(deltas) }
    const [times] = await Promise.all([promise, post(child.url, enqueue, { input })])
    assertLength(text.length, lengthOfAnswer(deltas))
    return times
  }
  return { ask, stop }
}

import { createClient as createSseClient } from 'graphql-sse'
import { createClient as createWsClient } from 'graphql-ws'
import { WebSocket } from 'ws'

export type Data = Readonly<Record<string, unknown>>

interface Result {
  readonly data?: Data | null
  readonly errors?: readonly unknown[]
}

/** Asks over HTTP. Fails when there are errors, or when a mutation was refused. */
export async function ask<T = Data>(url: string, query: string, variables: Data = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as Result
  if (errors || !data) throw new Error(JSON.stringify(errors))
  for (const value of Object.values(data)) {
    const { __typename: type = '' } = (value ?? {}) as { readonly __typename?: string }
    if (type.endsWith('Error')) throw new Error(JSON.stringify(value))
  }
  return data as T
}

/** The cursor of the first thing that ever happened. */
export async function firstCursor(url: string): Promise<string | undefined> {
  const log = '{ scope(id: "default") { events(first: 1) { edges { cursor } } } }'
  const { scope } = await ask<{ scope: { events: { edges: readonly { cursor: string }[] } } }>(url, log)
  return scope.events.edges[0]?.cursor
}

export interface Watched<T> {
  readonly received: readonly T[]
  /** The first one that fits, now or later; fails when the subscription ends before. */
  readonly first: (fits: (item: T) => boolean) => Promise<T>
  /** Resolves when the server has ended the subscription, whole. */
  readonly ended: Promise<void>
  readonly stop: () => void
}

/** Subscribes over WebSocket, with the usual client. */
export function watch<T>(url: string, query: string, variables: Data = {}): Watched<T> {
  const client = createWsClient({ url: url.replace('http:', 'ws:'), webSocketImpl: WebSocket, retryAttempts: 0 })
  const results = client.iterate({ query, variables })
  return watched(results, () => void client.dispose())
}

/** Subscribes by server-sent events, with the usual client. */
export function stream<T>(url: string, query: string, variables: Data = {}): Watched<T> {
  const client = createSseClient({ url, retryAttempts: 0 })
  const results = client.iterate({ query, variables })
  return watched(results, () => client.dispose())
}

function watched<T>(results: AsyncIterableIterator<unknown>, stop: () => void): Watched<T> {
  const received: T[] = []
  const looks = new Set<() => void>()
  const ended = (async () => {
    for await (const result of results) {
      const { data, errors } = result as Result
      if (errors || !data) throw new Error(JSON.stringify(errors))
      received.push(...(Object.values(data) as T[]))
      for (const look of looks) look()
    }
  })()
  ended.catch(() => undefined)
  return {
    received,
    ended,
    stop,
    first: (fits) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = received.find(fits)
          if (found === undefined) return
          looks.delete(look)
          resolve(found)
        }
        looks.add(look)
        ended.then(() => reject(new Error('The subscription ended.')), reject)
        look()
      }),
  }
}

import type { Stage } from './stage.ts'
import type { Operation } from './calls.ts'

const HEADERS = { 'content-type': 'application/json' }
const JSON_TYPE = 'application/graphql-response+json'

/** What an operation answers over HTTP. */
export async function overHttp(url: string, { source, variables }: Operation): Promise<unknown> {
  const body = JSON.stringify({ query: source, variables })
  const response = await fetch(url, { method: 'POST', headers: { ...HEADERS, accept: JSON_TYPE }, body })
  return response.json()
}

/** What a subscription answers as server-sent events: its first result, if there is one by itself. */
export async function overStream({ url, world }: Stage, { source, variables }: Operation): Promise<unknown> {
  const body = JSON.stringify({ query: source, variables })
  const leave = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...HEADERS, accept: 'text/event-stream' },
    body,
    signal: leave.signal,
  })
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.json()
  let text = ''
  const decoder = new TextDecoder()
  // What comes by itself has come when nothing more comes for a few rounds of the event loop.
  const reader = response.body?.getReader()
  const reading = (async () => {
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
      text += decoder.decode(piece.value, { stream: true })
      if (/^data: .+$/m.test(text)) return
    }
  })()
  const settled = (async () => {
    for (let rounds = 0; rounds < 5; rounds++) await world.clock.settle()
  })()
  await Promise.race([reading, settled])
  leave.abort()
  await reading.catch(() => undefined)
  const data = /^data: (.+)$/m.exec(text)?.[1]
  return data === undefined ? { data: {} } : JSON.parse(data)
}

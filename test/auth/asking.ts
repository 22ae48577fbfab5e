import { rawSocket } from '../server/raw-socket.ts'
import { send } from '../server/graphql-client.ts'

export interface Question {
  readonly query: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** What a client got: the first result of an operation, or that it was turned away. As it came, to be compared. */
export interface Got {
  /** The HTTP status, or the code with which the WebSocket was closed; undefined for the result of an operation. */
  readonly refused?: number
  readonly text: string
}

export type Ask = (url: string, token: string | undefined, question: Question) => Promise<Got>

const bearer = (token: string | undefined): Readonly<Record<string, string>> =>
  token === undefined ? {} : { authorization: `Bearer ${token}` }

export const byHttp: Ask = async (url, token, question) => {
  const headers = { 'content-type': 'application/json', ...bearer(token) }
  const { status, body } = await send(url, { method: 'POST', headers, body: JSON.stringify(question) })
  return status === 200 ? { text: body } : { refused: status, text: body }
}

/** The client leaves after the first result. */
const byEvents: Ask = async (url, token, question) => {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...bearer(token) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(question) })
  if (response.status !== 200) return { refused: response.status, text: await response.text() }
  let text = ''
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece
    const [, result] = /^event: next\ndata: (.*)\n\n/m.exec(text) ?? []
    if (result !== undefined) return { text: result }
  }
  return { text: '' }
}

export const bySocket: Ask = async (url, token, question) => {
  const client = await rawSocket(url)
  client.send({ type: 'connection_init', payload: token === undefined ? {} : { Authorization: `Bearer ${token}` } })
  const acknowledged = client.message(({ type }) => type === 'connection_ack').then(() => undefined)
  const closed = await Promise.race([acknowledged, client.closed])
  if (closed) {
    acknowledged.catch(() => undefined)
    return { refused: closed.code, text: closed.reason }
  }
  client.subscribe('1', question.query, question.variables)
  const { type, payload } = await client.message(({ id }) => id === '1')
  client.socket.terminate()
  return { text: JSON.stringify(type === 'error' ? { errors: payload } : payload) }
}

export const transports: readonly (readonly [name: string, ask: Ask])[] = [
  ['HTTP', byHttp],
  ['server-sent events', byEvents],
  ['WebSocket', bySocket],
]

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[]
}

/** In a word: the code of an error or of a refusal in a result, `null` for nothing at all, otherwise `ok`. */
export function inAWord({ refused, text }: Got): string {
  if (refused !== undefined) return String(refused)
  const { data, errors } = JSON.parse(text) as Result
  if (errors) return String(errors[0]?.extensions?.['code'])
  const values = Object.values(data ?? {}).flat()
  if (values.length > 0 && values.every((value) => value === null)) return 'null'
  const [code] = values.flatMap((value) => (value as { readonly code?: string } | null)?.code ?? [])
  return code ?? 'ok'
}

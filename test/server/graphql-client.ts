import { request as httpRequest } from 'node:http'

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly message: string; readonly extensions?: Readonly<Record<string, unknown>> }[]
}

type Variables = Readonly<Record<string, unknown>>

/** Sends an operation as any client would. */
export async function post(url: string, query: string, variables: Variables = {}): Promise<Result> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  return (await response.json()) as Result
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface RawRequest {
  readonly method?: string
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request with any headers, which `fetch` would not. */
export function send(url: string, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, ...(path !== undefined && { path }) }, (response) => {
      response.toArray().then((chunks) => {
        const text = Buffer.concat(chunks as Buffer[]).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text })
      }, reject)
    })
    request.once('error', reject)
    request.end(body)
  })
}

/** The codes of the errors in an answer. */
export const codesOf = ({ errors = [] }: Result): readonly unknown[] =>
  errors.map(({ extensions }) => extensions?.['code'])

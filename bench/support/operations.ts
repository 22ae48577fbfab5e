import { readFileSync } from 'node:fs'

/** An operation that the product's own examples show, such as `08-dashboard`. */
export const exampleOperation = (name: string): string =>
  readFileSync(new URL(`../../examples/operations/${name}.graphql`, import.meta.url), 'utf8')

interface Result {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly unknown[]
}

/** Asks over HTTP. Fails when there are errors, or when a mutation is refused. */
export async function post(url: string, query: string, variables: object): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await response.json()) as Result
  if (errors || !data) throw new Error(JSON.stringify(errors))
  for (const value of Object.values(data)) {
    const refusal = value as { readonly code?: string; readonly message?: string } | null
    if (refusal?.code !== undefined) throw new Error(`${refusal.code}: ${refusal.message ?? ''}`)
  }
  return data
}

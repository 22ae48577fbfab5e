import type { HttpRefusal } from './http-refusal.ts'

export type ParametersReading =
  | { readonly ok: true; readonly parameters: unknown }
  | { readonly ok: false; readonly refusal: HttpRefusal }

/** What a GET asks for. Whether it makes sense is not looked at here. */
export function parametersOfUrl(url: string): ParametersReading {
  const search = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  const text = (name: string): string | undefined => search.get(name) || undefined
  try {
    const [variables, extensions] = ['variables', 'extensions'].map((name): unknown => JSON.parse(text(name) ?? 'null'))
    const [query, operationName] = [text('query'), text('operationName')]
    return { ok: true, parameters: { query, operationName, variables, extensions } }
  } catch {
    return refused('The variables and the extensions in the URL must be JSON.')
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** What a POST asks for: its body as JSON. Whether it makes sense is not looked at here. */
export function parametersOfBody(body: Uint8Array): ParametersReading {
  try {
    return { ok: true, parameters: JSON.parse(strictUtf8.decode(body)) }
  } catch {
    return refused('The body must be JSON in UTF-8.')
  }
}

const refused = (message: string): ParametersReading => ({
  ok: false,
  refusal: { status: 400, code: 'BAD_REQUEST', message },
})

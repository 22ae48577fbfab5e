/** Why a request is turned away before any GraphQL is looked at. */
export interface HttpRefusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 413 | 415 | 421 | 500 | 503
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
  /** More to tell the client, beside the code. */
  readonly extensions?: Readonly<Record<string, unknown>>
}

/** The body that goes with it: the shape of any GraphQL error. */
export const refusalBody = ({ code, message, extensions }: HttpRefusal): string =>
  JSON.stringify({ errors: [{ message, extensions: { ...extensions, code } }] })

const BEARER = /^Bearer +([^\s]+) *$/i

/** The token of an `Authorization` header; undefined for any other text. */
export const bearerToken = (authorization: unknown): string | undefined =>
  typeof authorization === 'string' ? BEARER.exec(authorization)?.[1] : undefined

/** That of the payload of `connection_init`: in `Authorization` as in the header, or in `token` by itself. */
export function connectionToken(parameters: Readonly<Record<string, unknown>> = {}): string | undefined {
  const { Authorization, authorization = Authorization, token } = parameters
  return authorization === undefined && typeof token === 'string' ? token : bearerToken(authorization)
}

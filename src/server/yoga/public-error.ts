import type { GraphQLError, GraphQLFormattedError } from 'graphql'

/** An error as a client may see it: without what plugins of the server tell one another in its extensions. */
export function publicError(error: GraphQLError): GraphQLFormattedError {
  const { extensions, ...formatted } = error.toJSON()
  const { http: _http, unexpected: _unexpected, ...shown } = extensions ?? {}
  return Object.keys(shown).length > 0 ? { ...formatted, extensions: shown } : formatted
}

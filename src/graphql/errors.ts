import { GraphQLError, Kind } from 'graphql'
import { RefusalError } from './refusal-error.ts'

/** Where the whole story of a fault goes, and what names it to the client. */
export interface ErrorMaskParts {
  readonly log: { error(fields: Readonly<Record<string, unknown>>, message: string): void }
  readonly ids: { uuid(): string }
}

/**
 * Makes the function through which every entry of `errors[]` goes. What it answers has a stable `extensions.code`:
 *
 * - refusals their own; what the request itself got wrong one of `requestCode`;
 * - an error of the server that came with a code keeps it;
 * - everything else is a fault: INTERNAL_SERVER_ERROR, without its words but with a `reference`, which the log has too.
 *
 * Applying it again changes nothing.
 */
export function errorMask({ log, ids }: ErrorMaskParts): (error: unknown) => GraphQLError {
  return (error) => {
    if (error instanceof GraphQLError) {
      const code = codeOf(error)
      if (code !== undefined) return error.extensions['code'] === code ? error : withCode(error, code)
    }
    const reference = ids.uuid()
    const { path, originalError = error } = error instanceof GraphQLError ? error : {}
    log.error({ reference, path: path?.join('.'), err: originalError }, 'A request met a fault.')
    return masked(error, reference)
  }
}

/** The code under which an error may be shown; undefined for a fault. */
function codeOf(error: GraphQLError): string | undefined {
  const { originalError, path, extensions } = error
  if (error instanceof RefusalError) return error.refusal.code
  if (originalError instanceof RefusalError) return originalError.refusal.code
  // Whatever else a resolver threw is not the client's business, but for what graphql itself says of an argument.
  if (path && originalError) return isAboutArgument(originalError) ? 'BAD_USER_INPUT' : undefined
  if (typeof extensions['code'] === 'string') return extensions['code']
  return path ? undefined : requestCode(error)
}

const isAboutArgument = (error: Error): boolean => error instanceof GraphQLError && (error.nodes?.length ?? 0) > 0

/** What is wrong with a request that was not executed. */
function requestCode({ message, nodes, originalError }: GraphQLError): string | undefined {
  if (nodes?.[0]?.kind === Kind.VARIABLE_DEFINITION) return 'BAD_USER_INPUT'
  if (originalError && !(originalError instanceof GraphQLError)) return undefined
  if (message.startsWith('Syntax Error')) return 'GRAPHQL_PARSE_FAILED'
  return nodes ? 'GRAPHQL_VALIDATION_FAILED' : 'OPERATION_RESOLUTION_FAILURE'
}

const withCode = (error: GraphQLError, code: string): GraphQLError =>
  new GraphQLError(error.message, { ...placeOf(error), extensions: { ...error.extensions, code } })

const masked = (error: unknown, reference: string): GraphQLError =>
  new GraphQLError(`Something went wrong. Its details are in the log of the server, under ${reference}.`, {
    ...(error instanceof GraphQLError && placeOf(error)),
    extensions: { code: 'INTERNAL_SERVER_ERROR', reference },
  })

const placeOf = ({ nodes, source, positions, path }: GraphQLError) => ({
  nodes: nodes ?? null,
  source: source ?? null,
  positions: positions ?? null,
  path: path ?? null,
})

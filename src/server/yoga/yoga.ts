import type { DocumentNode, ExecutionArgs, GraphQLError, GraphQLSchema } from 'graphql'
import { createYoga as createEngine } from 'graphql-yoga'
import { createContext, type GraphQLContext } from '../../graphql/context.ts'
import { errorMask } from '../../graphql/errors.ts'
import { schema } from '../../graphql/schema.ts'
import type { Principal } from '../../domain/access/principal.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/telemetry.ts'
import type { Harness } from '../../runtime/harness.ts'
import { acceptable } from './acceptable.ts'
import { documentCache } from './document-cache.ts'
import { enforcedLimits } from './enforced-limits.ts'
import { type Given, givenParameters } from './given-parameters.ts'

export interface YogaParts {
  readonly harness: Harness
  readonly log: Log
  readonly ids: Ids
  readonly endpoint: string
}

/** What one operation is executed with. */
export interface Enveloped {
  readonly schema: GraphQLSchema
  readonly parse: (text: string) => DocumentNode
  readonly validate: (schema: GraphQLSchema, document: DocumentNode) => readonly GraphQLError[]
  readonly contextFactory: () => unknown
  readonly execute: (args: ExecutionArgs) => unknown
  readonly subscribe: (args: ExecutionArgs) => unknown
}

export interface Yoga {
  readonly Request: typeof Request
  readonly answer: (request: Request, given: Given) => Promise<Response>
  readonly enveloped: (principal: Principal) => Enveloped
  /** What may be shown of an error; the log has the rest. */
  readonly masked: (error: unknown) => GraphQLError
}

/** Another address of the engine that no request can have: this server tells its health elsewhere. */
const NOWHERE = '#'

/**
 * The engine that HTTP and WebSocket share: parses within limits, validates, executes within limits, and masks what
 * nobody expected. Requests, bodies and origins are the business of the transport, which lets in what may come in.
 */
export function createYoga({ harness, log, ids, endpoint }: YogaParts): Yoga {
  const masked = errorMask({ log, ids })
  const engine = createEngine<Given, GraphQLContext>({
    schema,
    context: ({ principal }) => createContext(harness, principal),
    graphqlEndpoint: endpoint,
    healthCheckEndpoint: NOWHERE,
    plugins: [givenParameters, acceptable, enforcedLimits],
    maskedErrors: { maskError: masked },
    parserAndValidationCache: { documentCache: documentCache(), errorCache: documentCache() },
    logging: false,
    cors: false,
    multipart: false,
    batching: false,
    graphiql: false,
    landingPage: false,
    maxRequestBodySize: false,
  })
  return {
    Request: engine.fetchAPI.Request,
    answer: async (request, given) => engine.fetch(request, given),
    enveloped: (principal) => engine.getEnveloped({ principal }) as Enveloped,
    masked,
  }
}

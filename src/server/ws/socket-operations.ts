import { type ExecutionArgs, type FormattedExecutionResult, GraphQLError } from 'graphql'
import type { OperationResult, ServerOptions } from 'graphql-ws'
import type { Principal } from '../../domain/access/principal.ts'
import type { Authenticator } from '../auth/authenticator.ts'
import { connectionToken } from '../auth/bearer-token.ts'
import { unauthenticated } from '../auth/unauthenticated.ts'
import { publicError } from '../yoga/public-error.ts'
import type { Enveloped, Yoga } from '../yoga/yoga.ts'
import type { TransportLimits } from '../transport-limits.ts'
import type { OperationNames } from './operation-names.ts'

/** The id of an operation is the client's; it is kept and echoed as long as the operation runs. */
const MAX_OPERATION_ID_LENGTH = 256

/** What is known of one connection. */
export interface Connection {
  /** Operations that have begun and not ended. */
  readonly operations: OperationNames
  readonly remoteAddress: string | undefined
  /** Who it is; nobody before the connection was acknowledged. */
  principal?: Principal
}

interface SocketExecution extends ExecutionArgs {
  readonly run: Pick<Enveloped, 'execute' | 'subscribe'>
}

export type SocketOptions = ServerOptions<Record<string, unknown>, Connection>

/** Errors when it cannot be executed. */
type Prepared = SocketExecution | readonly GraphQLError[]
type Outcome = Awaited<OperationResult>

export interface SocketOperationsParts {
  readonly yoga: Yoga
  readonly authenticator: Authenticator
  readonly limits: TransportLimits
}

type Payload = { readonly query: string; readonly operationName?: unknown; readonly variables?: unknown }

/**
 * How operations of a WebSocket are executed: by the plugins that HTTP has, so with the same limits and the same
 * masking, and at most `maxOperationsPerSocket` at once. An operation that fails ends alone; the socket goes on. They
 * are those of whoever introduced himself when the connection was opened; a stranger's connection is closed.
 */
export function socketOperations({ yoga, authenticator, limits }: SocketOperationsParts): SocketOptions {
  const prepare = async (principal: Principal, payload: Payload): Promise<Prepared> => {
    const { query, operationName, variables } = payload
    const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.enveloped(principal)
    const document = parse(query)
    const errors = validate(schema, document)
    if (errors.length > 0) return errors
    return {
      schema,
      document,
      operationName: typeof operationName === 'string' ? operationName : undefined,
      variableValues: variables as Record<string, unknown>,
      contextValue: await contextFactory(),
      run: { execute, subscribe },
    }
  }

  /** The outcome of an operation, which is its error when it throws: the socket and its other operations go on. */
  const unmoved = async (run: () => unknown): Promise<Outcome> => {
    try {
      return (await run()) as Outcome
    } catch (error) {
      return { errors: [yoga.masked(error)] }
    }
  }

  return {
    connectionInitWaitTimeout: limits.initMs,
    async onConnect({ extra, connectionParams }) {
      const { remoteAddress } = extra
      const principal = await authenticator.authenticate({ token: connectionToken(connectionParams), remoteAddress })
      if (principal) extra.principal = principal
      return principal !== undefined
    },
    async onSubscribe({ extra: { operations, principal } }, id, payload) {
      if (!principal) return [stranger]
      if (operations.clientIdOf(id).length > MAX_OPERATION_ID_LENGTH) return [tooLongAnId]
      if (operations.size > limits.maxOperationsPerSocket) return [tooManyOperations(limits.maxOperationsPerSocket)]
      try {
        return await prepare(principal, payload)
      } catch (error) {
        return [yoga.masked(error)]
      }
    },
    execute: (args) => unmoved(() => (args as SocketExecution).run.execute(args)),
    subscribe: (args) => unmoved(() => (args as SocketExecution).run.subscribe(args)),
    onNext: (...[, , , , { errors, ...rest }]) =>
      errors && ({ ...rest, errors: errors.map(publicError) } as FormattedExecutionResult),
    onError: (...[, , , errors]) => errors.map((error) => publicError(yoga.masked(error))),
  }
}

const stranger = new GraphQLError(unauthenticated.message, { extensions: { code: unauthenticated.code } })

const tooLongAnId = new GraphQLError(`The id of an operation has at most ${MAX_OPERATION_ID_LENGTH} characters.`, {
  extensions: { code: 'BAD_REQUEST' },
})

const tooManyOperations = (most: number) =>
  new GraphQLError(`A connection has at most ${most} operations at once.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS', limit: most },
  })

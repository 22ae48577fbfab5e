import { type ExecutionArgs, type FormattedExecutionResult, GraphQLError } from 'graphql'
import type { OperationResult, ServerOptions } from 'graphql-ws'
import { publicError } from '../yoga/public-error.ts'
import type { Enveloped, Yoga } from '../yoga/yoga.ts'
import type { TransportLimits } from '../transport-limits.ts'

/** The id of an operation is the client's; it is kept and echoed as long as the operation runs. */
const MAX_OPERATION_ID_LENGTH = 256

/** What is known of one connection. */
export interface Connection {
  /** Operations that have begun and not ended. */
  readonly operations: Set<string>
}

interface SocketExecution extends ExecutionArgs {
  readonly run: Pick<Enveloped, 'execute' | 'subscribe'>
}

export type SocketOptions = ServerOptions<Record<string, unknown>, Connection>

/** Errors when it cannot be executed. */
type Prepared = SocketExecution | readonly GraphQLError[]
type Outcome = Awaited<OperationResult>

type Payload = { readonly query: string; readonly operationName?: unknown; readonly variables?: unknown }

/**
 * How operations of a WebSocket are executed: by the plugins that HTTP has, so with the same limits and the same
 * masking, and at most `maxOperationsPerSocket` at once. An operation that fails ends alone; the socket goes on.
 */
export function socketOperations(yoga: Yoga, limits: TransportLimits): SocketOptions {
  const prepare = async ({ query, operationName, variables }: Payload): Promise<Prepared> => {
    const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.enveloped()
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
    async onSubscribe({ extra: { operations } }, id, payload) {
      operations.add(id)
      if (id.length > MAX_OPERATION_ID_LENGTH) return [tooLongAnId]
      if (operations.size > limits.maxOperationsPerSocket) return [tooManyOperations(limits.maxOperationsPerSocket)]
      try {
        return await prepare(payload)
      } catch (error) {
        return [yoga.masked(error)]
      }
    },
    execute: (args) => unmoved(() => (args as SocketExecution).run.execute(args)),
    subscribe: (args) => unmoved(() => (args as SocketExecution).run.subscribe(args)),
    onNext: (...[, , , , { errors, ...rest }]) =>
      errors && ({ ...rest, errors: errors.map(publicError) } as FormattedExecutionResult),
    onError(...[{ extra }, id, , errors]) {
      extra.operations.delete(id)
      return errors.map((error) => publicError(yoga.masked(error)))
    },
    onComplete({ extra }, id) {
      extra.operations.delete(id)
    },
  }
}

const tooLongAnId = new GraphQLError(`The id of an operation has at most ${MAX_OPERATION_ID_LENGTH} characters.`, {
  extensions: { code: 'BAD_REQUEST' },
})

const tooManyOperations = (most: number) =>
  new GraphQLError(`A connection has at most ${most} operations at once.`, {
    extensions: { code: 'TOO_MANY_OPERATIONS', limit: most },
  })

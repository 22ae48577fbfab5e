import { execute, type ExecutionResult, GraphQLError, parse, subscribe, validate } from 'graphql'
import { createContext } from '../../src/graphql/context.ts'
import { errorMask } from '../../src/graphql/errors.ts'
import { schema } from '../../src/graphql/schema.ts'
import { tester } from '../support/world.ts'
import type { Operation } from './calls.ts'
import type { Stage } from './stage.ts'

/** More tokens are not parsed by the server either. */
const MAX_TOKENS = 5_000

/** What an operation answers without any transport: of a subscription the first result, if there is one by itself. */
export async function directly({ world, log }: Stage, { source, variables }: Operation): Promise<unknown> {
  const mask = errorMask({ log, ids: { uuid: () => 'reference' } })
  const shown = ({ data, errors }: ExecutionResult): unknown =>
    JSON.parse(JSON.stringify({ data, ...(errors && { errors: errors.map((error) => mask(error).toJSON()) }) }))
  try {
    const document = parse(source, { maxLexicalTokens: MAX_TOKENS })
    const errors = validate(schema, document)
    if (errors.length > 0) return shown({ errors })
    const args = { schema, document, variableValues: variables, contextValue: createContext(world.harness, tester) }
    if (!source.startsWith('subscription')) return shown(await execute(args))
    const begun = await subscribe(args)
    if (!(Symbol.asyncIterator in begun)) return shown(begun)
    let first: IteratorResult<ExecutionResult> | undefined
    const asked = begun.next().then((step) => {
      first = step
    })
    await world.clock.settle()
    await begun.return?.()
    await asked
    return first && !first.done ? shown(first.value) : { data: {} }
  } catch (error) {
    if (error instanceof GraphQLError) return shown({ errors: [error] })
    throw error
  }
}

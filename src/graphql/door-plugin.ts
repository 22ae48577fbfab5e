import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import type { GraphQLFieldResolver } from 'graphql'
import type { GraphQLContext } from './context.ts'
import { enter, stillIn } from './door.ts'
import { mappedIterator } from './mapped-iterator.ts'
import { isOperationName, type OperationName } from './role-table.ts'

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      door: DoorPlugin<Types>
    }
  }
}

/**
 * Stands before every root field, behind the validation of its arguments: nothing of a query, a mutation or a
 * subscription runs before `enter` has let it in. A subscription is asked again for each event, which it reads afresh. A
 * root field without a row in the role table ends the building of the schema.
 */
class DoorPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    const operation = operationOf(field)
    if (!operation || field.kind === 'Subscription') return resolve
    return async (...call) => {
      const [, args, context] = call
      await enter(operation, args, context as GraphQLContext)
      return resolve(...call)
    }
  }

  override wrapSubscribe(
    subscribe: GraphQLFieldResolver<unknown, Types['Context'], object> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> | undefined {
    const operation = operationOf(field)
    if (!operation || !subscribe) return subscribe
    return async (...call) => {
      const [, args] = call
      const context = call[2] as GraphQLContext
      await enter(operation, args, context)
      const events = (await subscribe(...call)) as AsyncIterable<unknown>
      return mappedIterator(events[Symbol.asyncIterator](), {
        map(event) {
          stillIn(operation, args, context)
          context.reads.renew()
          return event
        },
        failure: (error) => error,
      })
    }
  }
}

/** Undefined for fields that are no root fields. */
function operationOf<Types extends SchemaTypes>({
  kind,
  name,
}: PothosOutputFieldConfig<Types>): OperationName | undefined {
  if (kind !== 'Query' && kind !== 'Mutation' && kind !== 'Subscription') return undefined
  const operation = `${kind}.${name}`
  if (isOperationName(operation)) return operation
  throw new Error(`${operation} has no row in the role table.`)
}

SchemaBuilder.registerPlugin('door', DoorPlugin)

import SchemaBuilder, { BasePlugin, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core'
import { type GraphQLFieldResolver, type GraphQLOutputType, getNamedType, isUnionType } from 'graphql'
import type { Refusal } from '../kernel/refusal.ts'
import type { GraphQLContext } from './context.ts'
import { RefusalError } from './refusal-error.ts'
import { errorTypeNames, isMutationRefusal } from './refusal-names.ts'

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      refusals: RefusalsPlugin<Types>
    }
  }
}

/**
 * Makes a refusal that a mutation meets the member of its result union that stands for it. It wraps what the other
 * plugins do, so that it also sees what they refuse: the validation of the input. A refusal that the union does not
 * know stays an error. Mutations read afresh: what they read before is no longer so.
 */
class RefusalsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: GraphQLFieldResolver<unknown, Types['Context'], object>,
    { kind }: PothosOutputFieldConfig<Types>,
  ): GraphQLFieldResolver<unknown, Types['Context'], object> {
    if (kind !== 'Mutation') return resolve
    return async (...call) => {
      const [, , context, info] = call
      ;(context as GraphQLContext).reads.renew()
      try {
        return await resolve(...call)
      } catch (error) {
        if (error instanceof RefusalError && answers(info.returnType, error.refusal)) return error.refusal
        throw error
      }
    }
  }
}

function answers(type: GraphQLOutputType, refusal: Refusal): boolean {
  const union = getNamedType(type)
  if (!isUnionType(union) || !isMutationRefusal(refusal)) return false
  return union.getTypes().some(({ name }) => name === errorTypeNames[refusal.code])
}

SchemaBuilder.registerPlugin('refusals', RefusalsPlugin)

import type { ObjectRef } from '@pothos/core'
import { builder } from './builder.ts'
import { errorTypeNames, isMutationRefusal, type MutationRefusal, type MutationRefusalCode } from './refusal-names.ts'
import { errorTypes } from './refusals.ts'

type SchemaTypesOf = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never

/** `DoThingResult`: the payload of a mutation, or one of the errors that it can meet. */
export function mutationResult<Payload extends object>(
  name: string,
  payload: ObjectRef<SchemaTypesOf, Payload>,
  refusals: readonly MutationRefusalCode[],
) {
  return builder.unionType(`${name}Result`, {
    description: `What \`${name.charAt(0).toLowerCase()}${name.slice(1)}\` did, or why it did nothing.`,
    types: [payload, ...refusals.map((code) => errorTypes[code])],
    resolveType: (value: Payload | MutationRefusal) => {
      const refusal = value as Partial<MutationRefusal>
      return refusal.code && isMutationRefusal({ code: refusal.code }) ? errorTypeNames[refusal.code] : payload.name
    },
  })
}

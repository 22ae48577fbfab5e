import { builder } from '../../builder.ts'
import { type EventName, isDurable } from './names.ts'
import { HarnessEventType } from './type.ts'

/** The argument that names the events that are wanted. */
export const typesArgument = builder.args((arg) => ({
  types: arg.field({
    type: [HarnessEventType],
    validate: { minLength: [1, { message: 'must name at least one type; leave it out for all of them' }] },
    description: 'Only events of these types; all when absent. An empty list is VALIDATION_FAILED.',
  }),
}))

/** Those of the types that the log can hold; undefined when all are wanted. */
export const durableTypes = (types: readonly EventName[] | null | undefined) => types?.filter(isDurable)

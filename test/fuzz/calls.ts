import fc from 'fast-check'
import { type GraphQLInputType, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { Known, type Pool } from './known.ts'
import { type Slot, type Target, targets } from './targets.ts'
import { hostile, illTyped, polite, type Value } from './values.ts'

/** A call of the API in the making: what it is to be given is chosen, but for what the server has yet to say. */
export interface Call {
  readonly target: Target
  readonly over: 'direct' | 'http'
  /** Whether values stand beside the document or in it. */
  readonly form: 'variables' | 'literals'
  /** In the order of the target's slots. */
  readonly values: readonly Value[]
}

export interface Operation {
  readonly source: string
  readonly variables: Readonly<Record<string, unknown>>
}

type Give = (type: GraphQLInputType, name: string) => fc.Arbitrary<Value>

/** All polite; one slot hostile; all of them hostile; one ill-typed. */
function valuesFor({ slots }: Target): fc.Arbitrary<readonly Value[]> {
  const given = (giveOf: (slot: Slot) => Give) =>
    fc.tuple(...slots.map((slot) => giveOf(slot)(slot.type, slot.argument)))
  const odd = (give: Give) =>
    slots.filter(({ isTarget }) => isTarget).map((slot) => given((it) => (it === slot ? give : polite)))
  return fc.oneof(
    { weight: 2, arbitrary: given(() => polite) },
    { weight: 4, arbitrary: fc.oneof(...odd(hostile)) },
    { weight: 1, arbitrary: given(({ isTarget }) => (isTarget ? hostile : polite)) },
    { weight: 1, arbitrary: fc.oneof(...odd(illTyped)) },
  )
}

const callOf = (target: Target): fc.Arbitrary<Call> =>
  fc.record({
    target: fc.constant(target),
    over: fc.constantFrom('direct', 'http'),
    form: fc.constantFrom('variables', 'variables', 'literals'),
    values: valuesFor(target),
  })

/** Calls of every field that fits, each as often as any other. */
export const callsOf = (fits: (target: Target) => boolean): fc.Arbitrary<Call> =>
  fc.oneof(...targets.filter(fits).map(callOf))

/** The call as it is sent, with what the server has said so far. */
export function operationOf({ target, form, values }: Call, pool: Pool): Operation {
  const given = target.slots.map((slot, index) => ({ slot, value: resolved(values[index], pool) }))
  if (form === 'literals') {
    const literals = new Map(
      given.map(({ slot, value }) => [slot, value === undefined ? undefined : literal(value, slot.type)]),
    )
    return { source: `${target.operation} { ${target.selection((slot) => literals.get(slot))} }`, variables: {} }
  }
  const declared = target.slots.map(({ variable, type }) => `$${variable}: ${String(type)}`).join(', ')
  return {
    source: `${target.operation} (${declared}) { ${target.selection(({ variable }) => `$${variable}`)} }`,
    variables: Object.fromEntries(
      given.filter(({ value }) => value !== undefined).map(({ slot, value }) => [slot.variable, value]),
    ),
  }
}

function resolved(value: Value, pool: Pool): Value {
  if (value instanceof Known) return value.in(pool)
  if (Array.isArray(value)) return value.map((item) => resolved(item, pool))
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.fromEntries(fields.map(([key, inner]) => [key, resolved(inner, pool)]))
}

/** A value in the words of GraphQL; where it does not fit its type, in those that come closest. */
function literal(value: unknown, type?: GraphQLInputType): string {
  if (type && isNonNullType(type)) return literal(value, type.ofType)
  if (Array.isArray(value)) {
    const inner = type && isListType(type) ? type.ofType : undefined
    return `[${value.map((item) => literal(item, inner)).join(', ')}]`
  }
  if (type && isListType(type)) return literal(value, type.ofType)
  if (typeof value === 'object' && value !== null) {
    const fields = type && isInputObjectType(type) ? type.getFields() : {}
    return `{ ${Object.entries(value)
      .map(([key, inner]) => `${key}: ${literal(inner, fieldType(fields, key))}`)
      .join(', ')} }`
  }
  return type && isEnumType(type) && typeof value === 'string' ? value : JSON.stringify(value)
}

const fieldType = (fields: Readonly<Record<string, { readonly type: GraphQLInputType }>>, key: string) =>
  Object.hasOwn(fields, key) ? fields[key]?.type : undefined

/** What a call gives a value to: arguments as `Session.messages(last)`, fields as `CreateSessionInput.title`. */
export function coordinatesOf({ target, values }: Call): readonly string[] {
  return target.slots.flatMap(({ argument, type, isTarget }, index) => {
    const value = values[index]
    if (!isTarget || value === undefined) return []
    return [`${target.name}(${argument})`, ...fieldsWithin(value, type)]
  })
}

function fieldsWithin(value: Value, type: GraphQLInputType): readonly string[] {
  if (isNonNullType(type)) return fieldsWithin(value, type.ofType)
  if (isListType(type)) return [value].flat().flatMap((item) => fieldsWithin(item, type.ofType))
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return []
  const fields = type.getFields()
  return Object.entries(value).flatMap(([key, inner]) =>
    Object.hasOwn(fields, key) && inner !== undefined
      ? [`${type.name}.${key}`, ...fieldsWithin(inner, fields[key]!.type)]
      : [],
  )
}

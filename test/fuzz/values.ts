/*
 * What arguments and input fields are given, made from their types alone: a field that the schema gets later is fuzzed
 * as it is. `wanted` names are taken from what the server said before under the same name.
 */
import fc from 'fast-check'
import {
  type GraphQLInputType,
  type GraphQLInputObjectType,
  type GraphQLNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { anything, hostileInteger, hostileJson, hostileNumber, hostileText, hostileTime } from './hostile.ts'
import { damagedKnown, known } from './known.ts'

/** Undefined is left out. */
export type Value = unknown

/** Texts that are accepted where the type alone does not say what is; anything else is asked for by its name. */
const politeTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['Hello'],
  mediaType: ['image/png', 'text/plain;charset=utf-8'],
  url: ['data:,a', 'data:image/png;base64,AAAA'],
  modelHint: ['test:manual'],
  filename: ['a.png'],
  message: ['No.'],
  error: ['It failed.'],
}

/** What a well-behaved client would send. */
export function polite(type: GraphQLInputType, name: string): fc.Arbitrary<Value> {
  if (isNonNullType(type)) return politeValue(type.ofType, name)
  return fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: politeValue(type, name) })
}

function politeValue(type: GraphQLNullableType & GraphQLInputType, name: string): fc.Arbitrary<Value> {
  if (isListType(type))
    return fc.array(
      polite(type.ofType, name).filter((it) => it !== undefined),
      { minLength: 1, maxLength: 2 },
    )
  if (isInputObjectType(type)) return fieldsOf(type, (field) => polite(field.type, field.name))
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name))
  switch (type.name) {
    case 'ID':
      return fc.oneof(
        { weight: 5, arbitrary: known(name) },
        { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'default', 's') },
      )
    case 'Boolean':
      return fc.boolean()
    case 'Int':
    case 'SafeInt':
    case 'NonNegativeInt':
    case 'Float':
      return fc.integer({ min: 1, max: 5 })
    case 'JSON':
      return fc.constantFrom({}, { a: 1 })
    case 'DateTime':
      return fc.constant('2020-01-01T00:00:00Z')
    default: {
      const texts = politeTexts[name]
      return texts ? fc.constantFrom(...texts) : fc.oneof(known(name), fc.constantFrom('Hello'))
    }
  }
}

/** What fits the type, with everything hostile in it that the type allows. */
export function hostile(type: GraphQLInputType, name: string): fc.Arbitrary<Value> {
  if (isNonNullType(type)) return hostileValue(type.ofType, name)
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
    { weight: 5, arbitrary: hostileValue(type, name) },
  )
}

function hostileValue(type: GraphQLNullableType & GraphQLInputType, name: string): fc.Arbitrary<Value> {
  if (isListType(type)) return hostileList(type.ofType, name)
  if (isInputObjectType(type)) return fc.oneof(...hostileObjects(type))
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map((value) => value.name))
  switch (type.name) {
    case 'ID':
      return fc.oneof(hostileText, damagedKnown(name), hostileInteger)
    case 'String':
      return fc.oneof(hostileText, damagedKnown(name))
    case 'Boolean':
      return fc.boolean()
    case 'Int':
      return hostileInteger
    case 'SafeInt':
    case 'NonNegativeInt':
    case 'Float':
      return hostileNumber
    case 'DateTime':
      return hostileTime
    default:
      return hostileJson
  }
}

const lengths = fc.constantFrom(0, 1, 64, 65, 200, 201, 1000)

const hostileList = (type: GraphQLInputType, name: string): fc.Arbitrary<Value> =>
  fc.oneof(
    fc.array(
      fc.oneof(hostile(type, name), polite(type, name)).map((it) => it ?? null),
      { maxLength: 5 },
    ),
    // A single value stands for a list of one.
    hostile(type, name),
    fc
      .tuple(fc.oneof(polite(type, name), hostile(type, name)), lengths)
      .map(([item, length]) => Array.from({ length }, () => item ?? null)),
  )

/** One field hostile among polite ones, all of them hostile, or one of any kind. */
function hostileObjects(type: GraphQLInputObjectType): readonly fc.Arbitrary<Value>[] {
  const fields = Object.values(type.getFields())
  const single = fields.map((odd) =>
    fieldsOf(type, (field) => (field === odd ? hostile(field.type, field.name) : polite(field.type, field.name))),
  )
  return [...single, ...single, fieldsOf(type, (field) => hostile(field.type, field.name))]
}

/** What does not fit: another kind of value, a field missing, null, or unknown. */
export function illTyped(type: GraphQLInputType, name: string): fc.Arbitrary<Value> {
  const inner = isNonNullType(type) ? type.ofType : type
  if (isListType(inner))
    return fc.oneof(
      anything,
      illTyped(inner.ofType, name).map((item) => [item]),
    )
  if (!isInputObjectType(inner)) return anything
  const fields = Object.values(inner.getFields())
  const odd = fields.map((wrong) =>
    fieldsOf(inner, (field) => (field === wrong ? illTyped(field.type, field.name) : polite(field.type, field.name))),
  )
  const withUnknown = fc
    .tuple(polite(inner, name), fc.constantFrom('unknown', '__proto__', 'constructor', '', 'scopeid', 'a b'), anything)
    .map(([value, key, extra]) => Object.fromEntries([...Object.entries(value ?? {}), [key, extra]]))
  return fc.oneof(anything, withUnknown, ...odd)
}

type Field = ReturnType<GraphQLInputObjectType['getFields']>[string]

const fieldsOf = (type: GraphQLInputObjectType, valueOf: (field: Field) => fc.Arbitrary<Value>): fc.Arbitrary<Value> =>
  fc.record(Object.fromEntries(Object.values(type.getFields()).map((field) => [field.name, valueOf(field)])))

import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

interface Described {
  readonly name: string
  readonly description?: string | null | undefined
}

const types = Object.values(schema.getTypeMap()).filter(
  (type) => !type.name.startsWith('__') && !isSpecifiedScalarType(type),
)

/** The paths of a type and of everything in it that can have a description, with it. */
function partsOf(type: GraphQLNamedType): readonly (readonly [path: string, description: string])[] {
  const entry = (path: string, { description }: Described) => [path, description ?? ''] as const
  const own = entry(type.name, type)
  if (isEnumType(type)) return [own, ...type.getValues().map((value) => entry(`${type.name}.${value.name}`, value))]
  if (isInputObjectType(type)) {
    return [own, ...Object.values(type.getFields()).map((field) => entry(`${type.name}.${field.name}`, field))]
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [own]
  return [
    own,
    ...Object.values(type.getFields()).flatMap((field) => [
      entry(`${type.name}.${field.name}`, field),
      ...field.args.map((argument) => entry(`${type.name}.${field.name}(${argument.name})`, argument)),
    ]),
  ]
}

test('A1: every type, field, argument, input field and enum value has a description', () => {
  const parts = types.flatMap(partsOf)
  expect(parts.length).toBeGreaterThan(300)
  expect(parts.filter(([, description]) => description.trim() === '').map(([path]) => path)).toEqual([])
})

test('A1: enum values are upper case and types begin with a capital', () => {
  const names = types.flatMap((type) => (isEnumType(type) ? type.getValues().map(({ name }) => name) : []))
  expect(names.filter((name) => !/^[A-Z][A-Z_]*$/.test(name))).toEqual([])
  expect(types.filter(({ name }) => !/^[A-Z]\w*$/.test(name))).toEqual([])
})

test('a field that several events have is of one type, so that it can be selected side by side', () => {
  const event = schema.getType('HarnessEvent')
  const events = isInterfaceType(event) ? schema.getPossibleTypes(event) : []
  const typesOfFields = Map.groupBy(
    events.flatMap((type) => Object.values(type.getFields())),
    ({ name }) => name,
  )
  const ambiguous = [...typesOfFields].filter(([, fields]) => new Set(fields.map(({ type }) => String(type))).size > 1)
  expect(ambiguous.map(([name]) => name)).toEqual([])
  expect(events.length).toBeGreaterThan(10)
})

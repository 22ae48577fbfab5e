import fc from 'fast-check'
import {
  getNamedType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  OperationTypeNode,
} from 'graphql'
import { schema } from '../../src/graphql/schema.ts'

type Field = GraphQLField<unknown, unknown>

interface Step {
  readonly type: GraphQLObjectType
  readonly field: Field
}

/** A place of an operation where a value goes. */
export interface Slot {
  readonly variable: string
  readonly argument: string
  readonly type: GraphQLInputType
  /** Whether it belongs to the field that is fuzzed, or to the way to it. */
  readonly isTarget: boolean
}

/** A field with arguments, and an operation that reaches it. */
export interface Target {
  /** Such as `Session.messages`. */
  readonly name: string
  readonly operation: `${OperationTypeNode}`
  readonly slots: readonly Slot[]
  /** The selection of the operation; `print` gives the value of a slot, undefined for none. */
  readonly selection: (print: (slot: Slot) => string | undefined) => string
}

const roots = Object.values(OperationTypeNode).flatMap((operation) => {
  const type = schema.getRootType(operation)
  return type ? [{ operation, type }] : []
})

const possible = (type: GraphQLNamedType): readonly GraphQLObjectType[] => {
  if (isAbstractType(type)) return schema.getPossibleTypes(type)
  return isObjectType(type) ? [type] : []
}

/** The shortest way to every object type; through interfaces and unions only where there is no other. */
function ways(root: GraphQLObjectType): ReadonlyMap<GraphQLObjectType, readonly Step[]> {
  const found = new Map<GraphQLObjectType, readonly Step[]>([[root, []]])
  for (const isOpen of [isObjectType, () => true] as const) {
    for (const [type, way] of found) {
      for (const field of Object.values(type.getFields())) {
        const inner = getNamedType(field.type)
        if (!isOpen(inner)) continue
        const reached = [...way, { type, field }]
        possible(inner).filter((next) => !found.has(next)).forEach((next) => found.set(next, reached))
      }
    }
  }
  return found
}

/** Every field of the schema that has arguments. */
export const targets: readonly Target[] = (() => {
  const seen = new Set<string>()
  return roots.flatMap(({ operation, type: root }) =>
    [...ways(root)].flatMap(([type, way]) =>
      Object.values(type.getFields()).flatMap((field) => {
        const name = `${type.name}.${field.name}`
        if (field.args.length === 0 || seen.has(name)) return []
        seen.add(name)
        return [targetOf(operation, [...way, { type, field }])]
      }),
    ),
  )
})()

function targetOf(operation: Target['operation'], way: readonly Step[]): Target {
  const last = way.at(-1)
  const slots = way.flatMap(({ field }, step) =>
    field.args.map((argument): Slot => {
      const variable = `${argument.name}${step}`
      return { variable, argument: argument.name, type: argument.type, isTarget: step === way.length - 1 }
    }),
  )
  const rendered = (print: (slot: Slot) => string | undefined, step = 0): string => {
    const at = way[step]
    if (!at) return ''
    const inner = getNamedType(at.field.type)
    const args = at.field.args.flatMap(({ name }) => {
      const slot = slots.find(({ variable }) => variable === `${name}${step}`)
      const value = slot && print(slot)
      return value === undefined ? [] : [`${name}: ${value}`]
    })
    const next = way[step + 1]
    const below = next ? `... on ${next.type.name} { ${rendered(print, step + 1)} }` : selection(inner, 1)
    const given = args.length > 0 ? `(${args.join(', ')})` : ''
    return `${at.field.name}${given}${isLeafType(inner) ? '' : ` { __typename ${below} }`}`
  }
  const name = `${last?.type.name}.${last?.field.name}`
  const shown = { [fc.toStringMethod]: () => `${name}(${slots.map(({ variable }) => variable).join(', ')})` }
  return { name, operation, slots, selection: rendered, ...shown }
}

/** What is shown of a type: its fields, and what is `levels` below. Fields of the same name must be of one shape. */
function selection(type: GraphQLNamedType, levels: number, shapes = new Map<string, string>()): string {
  const own = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : []
  const fields = own.flatMap((field) => {
    const shape = String(field.type)
    if (field.args.some(isRequiredArgument) || (shapes.get(field.name) ?? shape) !== shape) return []
    const shown = shownField(field, levels)
    if (shown !== '') shapes.set(field.name, shape)
    return [shown]
  })
  const fragments = isAbstractType(type)
    ? possible(type).map((inner) => `... on ${inner.name} { __typename ${selection(inner, levels, shapes)} }`)
    : []
  return ['__typename', ...fields, ...fragments].join(' ')
}

function shownField(field: Field, levels: number): string {
  const inner = getNamedType(field.type)
  if (isLeafType(inner)) return field.name
  const left = /(Connection|Edge)$/.test(inner.name) ? levels : levels - 1
  return left < 0 ? '' : `${field.name} { ${selection(inner, left)} }`
}

import {
  type DocumentNode,
  type FieldNode,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isCompositeType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionNode,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  valueFromASTUntyped,
} from 'graphql'
import { type Operation, operationOf } from './limits.ts'
import { DEFAULT_PAGE } from './page-size.ts'

/** Rows that a list is taken to have when nothing says how many. */
const LIST_ROWS = 10

/** An operation as it is about to be executed. */
export interface OperationRequest {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  /** As the client sent them. */
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * How much an operation may have to resolve: one for each field, and what stands below a list as often as it can have
 * rows: `first` or `last` for connections (their default when absent), the number of ids for `nodes`, otherwise 10.
 * Infinite for fragments that contain themselves, 0 when there is nothing to execute.
 */
export function complexityOf(request: OperationRequest): number {
  const operation = operationOf(request.document, request.operationName)
  const root = operation && request.schema.getRootType(operation.definition.operation)
  return operation && root
    ? new Estimate(request, operation).ofSet(operation.definition.selectionSet, { type: root })
    : 0
}

interface Place {
  /** Undefined for what the schema does not know. */
  readonly type: GraphQLNamedType | undefined
  /** Rows of the lists that stand here; only a connection says. */
  readonly rows?: number
}

/** Owns what it has estimated, so that every selection set counts once per place, however often it is spread. */
class Estimate {
  readonly #schema: GraphQLSchema
  readonly #fragments: Operation['fragments']
  readonly #variables: Readonly<Record<string, unknown>>
  readonly #known = new Map<SelectionSetNode, Map<string, number>>()

  constructor({ schema, variables }: OperationRequest, { definition, fragments }: Operation) {
    this.#schema = schema
    this.#fragments = fragments
    const defaults = (definition.variableDefinitions ?? []).map(({ variable, defaultValue }): [string, unknown] => [
      variable.name.value,
      defaultValue && valueFromASTUntyped(defaultValue),
    ])
    this.#variables = { ...Object.fromEntries<unknown>(defaults), ...variables }
  }

  ofSet(set: SelectionSetNode, place: Place): number {
    const known = this.#known.get(set) ?? new Map<string, number>()
    this.#known.set(set, known)
    const key = `${place.type?.name} ${place.rows}`
    const before = known.get(key)
    if (before !== undefined) return before
    known.set(key, Infinity)
    const result = set.selections.reduce((sum, selection) => sum + this.#ofSelection(selection, place), 0)
    known.set(key, result)
    return result
  }

  #ofSelection(selection: SelectionNode, place: Place): number {
    if (selection.kind === Kind.FIELD) return this.#ofField(selection, place)
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? this.#fragments.get(selection.name.value) : selection
    if (!fragment) return 0
    const condition = fragment.typeCondition
    return this.ofSet(
      fragment.selectionSet,
      condition ? { ...place, type: this.#schema.getType(condition.name.value) } : place,
    )
  }

  #ofField(node: FieldNode, place: Place): number {
    if (!node.selectionSet) return 1
    const field = this.#field(node.name.value, place.type)
    const type = field && getNamedType(field.type)
    const rows = field && this.#pageSize(field, node)
    const below = this.ofSet(node.selectionSet, rows === undefined ? { type } : { type, rows })
    return 1 + (field && isListType(getNullableType(field.type)) ? this.#rows(node, place) : 1) * below
  }

  #field(name: string, type: GraphQLNamedType | undefined): GraphQLField<unknown, unknown> | undefined {
    if (name === TypeNameMetaFieldDef.name && isCompositeType(type)) return TypeNameMetaFieldDef
    if (type === this.#schema.getQueryType()) {
      if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
      if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
    }
    return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
  }

  #rows(node: FieldNode, { rows }: Place): number {
    const ids = this.#argument(node, 'ids')
    return rows ?? (Array.isArray(ids) ? Math.max(ids.length, 1) : LIST_ROWS)
  }

  /** Undefined for fields that are no connections. */
  #pageSize(field: GraphQLField<unknown, unknown>, node: FieldNode): number | undefined {
    if (!field.args.some(({ name }) => name === 'first')) return undefined
    const size = this.#argument(node, 'last') ?? this.#argument(node, 'first') ?? DEFAULT_PAGE
    return typeof size === 'number' ? Math.max(size, 1) : DEFAULT_PAGE
  }

  #argument(node: FieldNode, name: string): unknown {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value
    return value && valueFromASTUntyped(value, this.#variables)
  }
}

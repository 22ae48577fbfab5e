import {
  type ArgumentNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'

export interface Pruned {
  readonly document: DocumentNode
  /** What the schema lacks, each thing once, in the order in which it was met. */
  readonly leftOut: readonly string[]
}

/** The document without what the schema lacks: fields, arguments, types, and operations of which nothing is left. */
export function pruneDocument(schema: GraphQLSchema, document: DocumentNode): Pruned {
  const leftOut = new Set<string>()
  const fragments = fragmentsOf(document)
  const known = (name: string): GraphQLNamedType | undefined => schema.getType(name) ?? undefined

  const lacks = (what: string): readonly [] => {
    leftOut.add(what)
    return []
  }

  const pruneArguments = (args: readonly ArgumentNode[], names: readonly string[], field: string) =>
    args.flatMap((argument) =>
      names.includes(argument.name.value) ? [argument] : lacks(`${field}(${argument.name.value})`),
    )

  const pruneField = (node: FieldNode, type: GraphQLNamedType): readonly FieldNode[] => {
    const name = node.name.value
    if (name.startsWith('__')) return [node]
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[name] : undefined
    if (!field) return lacks(`${type.name}.${name}`)
    const names = field.args.map((argument) => argument.name)
    const args = pruneArguments(node.arguments ?? [], names, `${type.name}.${name}`)
    if (!node.selectionSet) return [{ ...node, arguments: args }]
    const selectionSet = pruneSet(node.selectionSet, getNamedType(field.type))
    return selectionSet.selections.length === 0 ? [] : [{ ...node, arguments: args, selectionSet }]
  }

  const pruneSelection = (node: SelectionNode, type: GraphQLNamedType): readonly SelectionNode[] => {
    if (node.kind === Kind.FIELD) return pruneField(node, type)
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : node
    const condition = fragment?.typeCondition?.name.value
    const narrowed = condition === undefined ? type : known(condition)
    if (!fragment || !narrowed) return lacks(`... on ${condition}`)
    if (node.kind === Kind.FRAGMENT_SPREAD) return [node]
    const selectionSet = pruneSet(node.selectionSet, narrowed)
    return selectionSet.selections.length === 0 ? [] : [{ ...node, selectionSet }]
  }

  const pruneSet = (set: SelectionSetNode, type: GraphQLNamedType): SelectionSetNode => ({
    ...set,
    selections: set.selections.flatMap((selection) => pruneSelection(selection, type)),
  })

  const pruneOperation = (node: OperationDefinitionNode): readonly OperationDefinitionNode[] => {
    const root = schema.getRootType(node.operation)
    const selectionSet = root && pruneSet(node.selectionSet, root)
    if (!selectionSet || selectionSet.selections.length === 0) return lacks(`${node.operation} ${node.name?.value}`)
    return [withUsedVariables({ ...node, selectionSet })]
  }

  const pruneFragment = (node: FragmentDefinitionNode): readonly FragmentDefinitionNode[] => {
    const type = known(node.typeCondition.name.value)
    return type ? [{ ...node, selectionSet: pruneSet(node.selectionSet, type) }] : []
  }

  const definitions = document.definitions.flatMap((node): readonly DefinitionNode[] => {
    if (node.kind === Kind.OPERATION_DEFINITION) return pruneOperation(node)
    return node.kind === Kind.FRAGMENT_DEFINITION ? pruneFragment(node) : [node]
  })
  return { document: { ...document, definitions }, leftOut: [...leftOut] }
}

const fragmentsOf = ({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> =>
  new Map(definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])))

function withUsedVariables(node: OperationDefinitionNode): OperationDefinitionNode {
  const used = new Set<string>()
  visit(node.selectionSet, { Variable: ({ name }) => void used.add(name.value) })
  const variableDefinitions = node.variableDefinitions?.filter(({ variable }) => used.has(variable.name.value)) ?? []
  return { ...node, variableDefinitions }
}

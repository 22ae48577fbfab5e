import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'

/** What one operation may ask for. To be enforced when it is executed, with its variables: never in validation. */
export interface OperationLimits {
  /** Levels of fields, those of fragments included. */
  readonly maxDepth: number
  /** Fields, those below a list counted once for each of its rows: see `complexityOf`. */
  readonly maxComplexity: number
  readonly maxAliases: number
}

export const defaultOperationLimits: OperationLimits = { maxDepth: 30, maxComplexity: 100_000, maxAliases: 60 }

export interface Operation {
  readonly definition: OperationDefinitionNode
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/** The operation that would be executed; undefined when the name does not tell which. */
export function operationOf(document: DocumentNode, operationName?: string | null): Operation | undefined {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const operations: OperationDefinitionNode[] = []
  for (const node of document.definitions) {
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
    if (node.kind === Kind.OPERATION_DEFINITION) operations.push(node)
  }
  const named = operationName == null ? operations : operations.filter(({ name }) => name?.value === operationName)
  const [definition] = named
  return definition && named.length === 1 ? { definition, fragments } : undefined
}

/** Levels of fields. Infinite for fragments that contain themselves, 0 when there is nothing to execute. */
export const depthOf = (document: DocumentNode, operationName?: string | null): number =>
  measured(document, operationName, {
    ofField: (_field, below) => 1 + below,
    ofSet: (parts) => parts.reduce((deepest, part) => Math.max(deepest, part), 0),
  })

/** Aliases, each as often as its fragment is spread. Infinite for fragments that contain themselves. */
export const aliasesOf = (document: DocumentNode, operationName?: string | null): number =>
  measured(document, operationName, {
    ofField: ({ alias }, below) => (alias ? 1 : 0) + below,
    ofSet: (parts) => parts.reduce((sum, part) => sum + part, 0),
  })

interface Measure {
  readonly ofField: (field: Extract<SelectionNode, { kind: Kind.FIELD }>, below: number) => number
  readonly ofSet: (parts: readonly number[]) => number
}

/** Looks at every selection set once, however often it is spread. */
function measured(document: DocumentNode, operationName: string | null | undefined, measure: Measure): number {
  const operation = operationOf(document, operationName)
  if (!operation) return 0
  const known = new Map<SelectionSetNode, number>()
  const ofSelection = (selection: SelectionNode): number => {
    if (selection.kind === Kind.FIELD) return measure.ofField(selection, ofSet(selection.selectionSet))
    if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet)
    return ofSet(operation.fragments.get(selection.name.value)?.selectionSet)
  }
  const ofSet = (set: SelectionSetNode | undefined): number => {
    if (!set) return 0
    const before = known.get(set)
    if (before !== undefined) return before
    known.set(set, Infinity)
    const result = measure.ofSet(set.selections.map(ofSelection))
    known.set(set, result)
    return result
  }
  return ofSet(operation.definition.selectionSet)
}

import type { PageRequest } from './page-request.ts'

export interface Count {
  readonly total: number
  /** True when counting stopped before the end. */
  readonly capped: boolean
}

/** One page of a list, as a connection shows it. */
export interface ConnectionView<Node> {
  readonly edges: { readonly cursor: string; readonly node: Node }[]
  readonly pageInfo: {
    readonly hasNextPage: boolean
    readonly hasPreviousPage: boolean
    readonly startCursor: string | null
    readonly endCursor: string | null
  }
  /** Counts when it is asked for. */
  readonly count?: () => Promise<Count>
}

export interface Found<Row, Node, Position> {
  /** In the order of the list: the page, and one more row where the list goes on. */
  readonly rows: readonly Row[]
  readonly request: PageRequest<Position>
  readonly nodeOf: (row: Row) => Node
  readonly cursorOf: (row: Row) => string
  readonly count?: () => Promise<Count>
}

/** The page that was asked for, of the rows that a store found. */
export function connectionView<Row, Node, Position>(found: Found<Row, Node, Position>): ConnectionView<Node> {
  const { rows, request, nodeOf, cursorOf, count } = found
  const { size, take, after, before } = request
  const more = rows.length > size
  const page = take === 'first' ? rows.slice(0, size) : rows.slice(Math.max(0, rows.length - size))
  const edges = page.map((row) => ({ cursor: cursorOf(row), node: nodeOf(row) }))
  return {
    edges,
    pageInfo: {
      hasNextPage: take === 'first' ? more : before !== undefined,
      hasPreviousPage: take === 'last' ? more : after !== undefined,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    ...(count && { count: once(count) }),
  }
}

function once<T>(compute: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= compute())
}

/** The rest of a list in which nothing is stored. */
export const emptyConnection = <Node>(): ConnectionView<Node> => ({
  edges: [],
  pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
  count: () => Promise.resolve({ total: 0, capped: false }),
})

import SchemaBuilder from '@pothos/core'
import RelayPlugin from '@pothos/plugin-relay'
import ZodPlugin from '@pothos/plugin-zod'
import './door-plugin.ts'
import './refusals-plugin.ts'
import type { Count } from './connection-view.ts'
import type { GraphQLContext } from './context.ts'
import { RefusalError } from './refusal-error.ts'
import type { NodeView } from './views.ts'
import { zodRefusal } from './zod-refusal.ts'

export interface ApiTypes {
  Context: GraphQLContext
  DefaultFieldNullability: false
  DefaultEdgesNullability: false
  Connection: { readonly count?: () => Promise<Count> }
  Scalars: {
    ID: { Input: string; Output: string }
    /** Milliseconds since 1970-01-01T00:00:00Z on their way out. */
    DateTime: { Input: Date; Output: number }
    JSON: { Input: unknown; Output: unknown }
    NonNegativeInt: { Input: number; Output: number }
    SafeInt: { Input: number; Output: number }
  }
}

/** The schema in the making. Modules add their types and fields to it when they are loaded. */
export const builder = new SchemaBuilder<ApiTypes>({
  // The first plugin is the outermost: it sees what validation and the door refuse. The door sees what is valid.
  plugins: ['refusals', RelayPlugin, ZodPlugin, 'door'],
  defaultFieldNullability: false,
  zod: { validationError: (error) => new RefusalError(zodRefusal(error)) },
  relay: {
    nodeQueryOptions: false,
    nodesQueryOptions: false,
    nodeTypeOptions: {
      description: 'Something with a global id, which `Query.node` finds again.',
      resolveType: (node) => (node as NodeView).kind,
    },
    idFieldOptions: {
      description: 'Global id: the type, then ids, percent-encoded where needed. Readable: `Session:default/abc`.',
    },
    edgesFieldOptions: { description: 'The page, in the order of the list.', nullable: false },
    pageInfoFieldOptions: { description: 'Where the page stands in the list.' },
    pageInfoTypeOptions: { description: 'Where a page stands in its list.' },
    hasNextPageFieldOptions: { description: 'Whether the list goes on after this page.' },
    hasPreviousPageFieldOptions: { description: 'Whether the list has something before this page.' },
    startCursorFieldOptions: { description: 'The cursor of the first edge, for `before`; null for an empty page.' },
    endCursorFieldOptions: {
      description: 'The cursor to go on from, for `after`; null when there is nothing to go on from.',
    },
    cursorFieldOptions: {
      description: 'The place of this edge in the list, for `after` and `before`. Opaque.',
      type: 'String',
    },
    nodeFieldOptions: { description: 'What stands at this place.', nullable: false },
    cursorType: 'String',
  },
})

builder.queryType({ description: 'Reading. Changes nothing.' })
builder.mutationType({
  description: 'Changing. A mutation answers when its change is durable; it is null only beside an error in `errors`.',
})
builder.subscriptionType({ description: 'Watching, over WebSocket (`graphql-transport-ws`) or server-sent events.' })

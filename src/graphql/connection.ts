import type { InterfaceRef, ObjectRef } from '@pothos/core'
import { COUNT_CAP } from '../domain/limits.ts'
import { builder } from './builder.ts'

type SchemaTypesOf = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never
type NodeRef<Shape> = ObjectRef<SchemaTypesOf, Shape> | InterfaceRef<SchemaTypesOf, Shape>

interface ConnectionOptions {
  readonly name: string
  readonly description: string
}

/** The connection type of a list: edges with cursors, and where the page stands. */
export const connectionType = <Shape>(node: NodeRef<Shape>, { name, description }: ConnectionOptions) =>
  builder.connectionObject(
    { type: node, name: `${name}Connection`, description },
    { name: `${name}Edge`, description: 'A place in the list.' },
  )

/** The same for lists that say how long they are. */
export const countedConnectionType = <Shape>(node: NodeRef<Shape>, { name, description }: ConnectionOptions) =>
  builder.connectionObject(
    {
      type: node,
      name: `${name}Connection`,
      description,
      fields: (t) => ({
        totalCount: t.field({
          type: 'NonNegativeInt',
          description: `Length of the whole list, when it is filtered up to ${COUNT_CAP}: see \`totalCountCapped\`.`,
          resolve: async ({ count }) => (await count?.())?.total ?? 0,
        }),
        totalCountCapped: t.boolean({
          description: 'Whether the list is longer than `totalCount` says.',
          resolve: async ({ count }) => (await count?.())?.capped ?? false,
        }),
      }),
    },
    { name: `${name}Edge`, description: 'A place in the list.' },
  )

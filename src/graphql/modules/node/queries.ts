import { MAX_PAGE } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { parseNodeId } from '../../node-id.ts'
import { atMostItems } from '../../validated.ts'
import { findNode } from './find-node.ts'

builder.queryFields((t) => ({
  node: t.field({
    type: builder.nodeInterfaceRef(),
    nullable: true,
    description: 'What a global id names; null for an id that names nothing, or nothing that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'A global id, as `Node.id` gives it.' }) },
    resolve: (_root, { id }, context) => findNode(context, parseNodeId(id)),
  }),
  nodes: t.field({
    type: [builder.nodeInterfaceRef()],
    nullable: { list: false, items: true },
    description:
      'What global ids name, in their order; null for each that names nothing, or nothing that the caller may see.',
    args: {
      ids: t.arg.idList({
        required: true,
        validate: atMostItems(MAX_PAGE),
        description: `Global ids, at most ${MAX_PAGE}, otherwise VALIDATION_FAILED.`,
      }),
    },
    resolve: (_root, { ids }, context) => Promise.all(ids.map((id) => findNode(context, parseNodeId(id)))),
  }),
}))

import { z } from 'zod'
import { builder } from '../../builder.ts'
import { connectionType } from '../../connection.ts'
import { connectionView, emptyConnection } from '../../connection-view.ts'
import { cursorsOf, scopeMark } from '../../cursor.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { pageRequest } from '../../page-request.ts'
import type { TombstoneRow } from '../../facade-types.ts'
import { Scope, Tombstone } from '../../refs.ts'
import { refOf, type ScopeView, type TombstoneView } from '../../views.ts'
import { Generation } from './generation.ts'

const Subagent = builder.objectRef<NonNullable<TombstoneRow['provenance']>>('TombstoneSubagent').implement({
  description: 'Which call of which session created a child that is being deleted.',
  fields: (t) => ({
    agent: t.exposeID('agent', { description: 'The subagent that it was created for.' }),
    parentSessionId: t.id({
      description: 'The session whose run created it.',
      resolve: ({ parent }) => parent.sessionId,
    }),
    parentGeneration: t.field({
      type: Generation,
      description: 'The generation of that session.',
      resolve: ({ parent }) => parent.generation,
    }),
    parentRunId: t.id({ description: 'The run that made the call.', resolve: ({ origin }) => origin.parentRunId }),
    parentToolCallId: t.id({ description: 'The call within that run.', resolve: ({ origin }) => origin.parentToolCallId }),
  }),
})

Tombstone.implement({
  description:
    'A session that is being deleted: nobody can use it any more, and it is erased as soon as what it held is released. ' +
    'Sessions that are deleted together are one group.',
  fields: (t) => ({
    sessionId: t.id({ description: 'The session.', resolve: ({ row }) => row.sessionId }),
    generation: t.field({ type: Generation, description: 'Its generation.', resolve: ({ row }) => row.generation }),
    deletedAt: t.field({ type: 'DateTime', description: 'When it was deleted.', resolve: ({ row }) => row.deletedAt }),
    deletedBy: t.string({ description: 'The principal who deleted it.', resolve: ({ row }) => row.deletedBy }),
    depth: t.field({
      type: 'NonNegativeInt',
      description: 'Levels below the root of its group; 0 for that root.',
      resolve: ({ row }) => row.groupDepth,
    }),
    root: t.field({
      type: Tombstone,
      nullable: true,
      description: 'The session at the top of its group, which may be itself; null when the group is gone by now.',
      resolve: async ({ scope, row }, _args, { reads }): Promise<TombstoneView | null> => {
        const root = row.group === row.key ? row : await reads.tombstones.byKey.load(row.group)
        return root && { scope, row: root }
      },
    }),
    subagent: t.field({
      type: Subagent,
      nullable: true,
      description: 'How it came to be, if a run created it; null for a root.',
      resolve: ({ row }) => row.provenance,
    }),
  }),
})

const TombstoneConnection = connectionType(Tombstone, {
  name: 'Tombstone',
  description: 'A page of sessions that are being deleted.',
})

const tombstoneCursors = ({ storageKey }: ScopeView) =>
  cursorsOf(['tombstones', scopeMark(storageKey)], z.string().regex(/^\d+$/))

builder.objectField(Scope, 'tombstones', (t) =>
  t.field({
    type: TombstoneConnection,
    description: 'The sessions of the scope that are being deleted, each parent before its children.',
    args: forwardArguments,
    resolve: async (view, args, { harness, reads }) => {
      const cursors = tombstoneCursors(view)
      const request = pageRequest(args, cursors)
      const scope = refOf(view)
      if (!scope) return emptyConnection<TombstoneView>()
      const after = request.after === undefined ? {} : { after: request.after }
      const rows = await harness.stores.structure.tombstones({ scopeKey: scope.key, ...after, limit: request.size + 1 })
      for (const row of rows) reads.tombstones.byKey.prime(row.key, row)
      return connectionView({
        rows,
        request,
        nodeOf: (row) => ({ scope, row }),
        cursorOf: (row) => cursors.encode(row.path),
      })
    },
  }),
)

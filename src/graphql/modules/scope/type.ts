import { MAX_ID_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Scope } from '../../refs.ts'

const ScopeLifecycle = builder.enumType('ScopeLifecycle', {
  description: 'Whether a scope takes work.',
  values: { ACTIVE: { description: 'It takes work.' } },
})

Scope.implement({
  description: 'An isolated namespace of sessions: a tenant, a project, a workspace.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ description: 'Global id.', resolve: ({ scopeId }) => nodeId({ type: 'Scope', scopeId }) }),
    scopeId: t.id({
      description: `The id by which it was asked for, at most ${MAX_ID_BYTES} UTF-8 bytes.`,
      resolve: ({ scopeId }) => scopeId,
    }),
    revision: t.field({
      type: 'SafeInt',
      description: 'Raised by one by every change of its structure; 0 while nothing was stored in it.',
      resolve: ({ row }) => row?.revision ?? 0,
    }),
    lifecycle: t.field({
      type: ScopeLifecycle,
      description: 'Whether it takes work.',
      resolve: () => 'ACTIVE' as const,
    }),
  }),
})

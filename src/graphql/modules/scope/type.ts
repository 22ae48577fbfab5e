import { MAX_ID_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Scope } from '../../refs.ts'
import type { ScopeView } from '../../views.ts'

const ScopeLifecycle = builder.enumType('ScopeLifecycle', {
  description: 'Whether a scope takes work.',
  values: {
    ACTIVE: { value: 'active', description: 'It takes work.' },
    FENCED: {
      value: 'fenced',
      description:
        'It takes no work until what is stored of it has been verified, which goes on by itself. Its runs are stopped, ' +
        'prompts that wait are kept.',
    },
    RETIRING: { value: 'retiring', description: 'It takes no work, and what waits or runs is being cancelled.' },
    RETIRED: {
      value: 'retired',
      description: 'Nothing of it goes on. Its data is there, and its next use makes it ACTIVE.',
    },
  } satisfies Record<string, { value: ScopeView['lifecycle']; description: string }>,
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
      description: 'Whether it takes work. It is the same under all ids that stand for it.',
      resolve: ({ lifecycle }) => lifecycle,
    }),
  }),
})

import { MAX_ERROR_MESSAGE_BYTES } from '../../../domain/limits.ts'
import type { Resolution } from '../../../domain/permission/permission.ts'
import { builder } from '../../builder.ts'
import { Permission } from '../../refs.ts'
import type { PermissionView } from '../../views.ts'
import { PermissionOutcome, PermissionState } from './enums.ts'

builder.objectFields(Permission, (t) => ({
  state: t.field({
    type: PermissionState,
    description: 'Whether it waits.',
    resolve: ({ permission }) => (permission.state.kind === 'pending' ? 'PENDING' : 'RESOLVED'),
  }),
  decision: t.field({
    type: PermissionOutcome,
    nullable: true,
    description: 'How it ended; null while it waits.',
    resolve: (view) => resolutionOf(view)?.decision ?? null,
  }),
  message: t.string({
    nullable: true,
    description:
      `What the model is told of a REJECT that denied only this call, at most ${MAX_ERROR_MESSAGE_BYTES} UTF-8 ` +
      'bytes; null otherwise.',
    resolve: (view) => resolutionOf(view)?.message ?? null,
  }),
  decidedBy: t.string({
    nullable: true,
    description: 'The principal who decided; null while it waits, and when nobody did.',
    resolve: (view) => resolutionOf(view)?.by ?? null,
  }),
  resolvedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it ended; null while it waits.',
    resolve: (view) => resolutionOf(view)?.at ?? null,
  }),
}))

const resolutionOf = ({ permission: { state } }: PermissionView): Resolution | null =>
  state.kind === 'resolved' ? state : null

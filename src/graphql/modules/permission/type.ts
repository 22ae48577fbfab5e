import {
  MAX_ERROR_MESSAGE_BYTES,
  MAX_PERMISSION_DESCRIPTION_BYTES,
  MAX_PERMISSION_KIND_BYTES,
  MAX_REMEMBER_KEY_BYTES,
} from '../../../domain/limits.ts'
import type { Resolution } from '../../../domain/permission/permission.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Permission, Run, Session } from '../../refs.ts'
import { type PermissionView, runView, sessionView } from '../../views.ts'
import { PermissionOutcome, PermissionState } from './enums.ts'

Permission.implement({
  description: 'A question that a run asks a person before it goes on.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, permission }) =>
        nodeId({ type: 'Permission', scopeId: scope.scopeId, id: permission.permissionId }),
    }),
    permissionId: t.id({
      description: 'Its id within the scope.',
      resolve: ({ permission }) => permission.permissionId,
    }),
    kind: t.string({
      description:
        'What it is about: `tool` for a call of a tool, otherwise a word of the application. At most ' +
        `${MAX_PERMISSION_KIND_BYTES} UTF-8 bytes.`,
      resolve: ({ permission }) => permission.kind,
    }),
    description: t.string({
      description: `What would be done, for people. At most ${MAX_PERMISSION_DESCRIPTION_BYTES} UTF-8 bytes.`,
      resolve: ({ permission }) => permission.description,
    }),
    toolCallId: t.id({
      nullable: true,
      description: 'The call of a tool that waits for it, within its run; null when it is about none.',
      resolve: ({ permission }) => permission.toolCallId,
    }),
    rememberKey: t.string({
      nullable: true,
      description:
        'What an ALWAYS is remembered under, such as the name of the tool; null when it cannot be answered so. At ' +
        `most ${MAX_REMEMBER_KEY_BYTES} UTF-8 bytes.`,
      resolve: ({ permission }) => permission.rememberKey,
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What helps to decide: for a call of a tool `{ toolName, input }`. Null when there is none.',
      resolve: ({ permission }) => permission.metadata,
    }),
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
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was asked.',
      resolve: ({ permission }) => permission.createdAt,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it waits.',
      resolve: (view) => resolutionOf(view)?.at ?? null,
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session whose run asks, as it is now; null once it is gone.',
      resolve: async ({ scope, sessionKey, permission }, _args, { reads }) => {
        const key = sessionKey ?? (await reads.permissions.byId.load(permission.permissionId))?.sessionKey
        const session = key === undefined ? null : await reads.sessions.byKey.load(key)
        return session && sessionView(scope, session)
      },
    }),
    runId: t.id({ description: 'The run that asks.', resolve: ({ permission }) => permission.runId }),
    run: t.field({
      type: Run,
      nullable: true,
      description: 'The run that asks, as it is now; null once it is gone.',
      resolve: async ({ scope, permission }, _args, { reads }) => {
        const run = await reads.runs.byId.load(permission.runId)
        return run && runView(scope, run)
      },
    }),
  }),
})

const resolutionOf = ({ permission: { state } }: PermissionView): Resolution | null =>
  state.kind === 'resolved' ? state : null

import {
  MAX_PERMISSION_DESCRIPTION_BYTES,
  MAX_PERMISSION_KIND_BYTES,
  MAX_REMEMBER_KEY_BYTES,
} from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Permission, Run, Session } from '../../refs.ts'
import { runView, sessionView } from '../../views.ts'

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
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was asked.',
      resolve: ({ permission }) => permission.createdAt,
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

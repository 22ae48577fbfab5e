import { builder } from '../../builder.ts'
import { Permission, Session } from '../../refs.ts'
import { PermissionOutcome } from '../permission/enums.ts'
import { liveSession } from './live-fields.ts'
import { describe, eventRef, HarnessEvent } from './type.ts'
import type { BodyOf } from './view.ts'

for (const type of ['permission.requested', 'permission.resolved'] as const) {
  eventRef<BodyOf<typeof type>>(type).implement({
    description: describe(type),
    interfaces: [HarnessEvent],
    fields: (t) => ({
      runId: t.id({ nullable: true, description: 'The run that asks.', resolve: ({ body }) => body.runId }),
      decision: t.field({
        type: PermissionOutcome,
        nullable: true,
        description: 'How the request ended; null while it waits.',
        resolve: ({ body: { permission } }) =>
          permission.state.kind === 'resolved' ? permission.state.decision : null,
      }),
      permission: t.field({
        type: Permission,
        description: 'The request as it was then.',
        resolve: ({ scope, session, body }) => ({
          kind: 'Permission' as const,
          scope,
          ...(session && { sessionKey: session.key }),
          permission: body.permission,
        }),
      }),
    }),
  })
}

const GrantChange = builder.enumType('GrantChange', {
  description: 'What became of an ALWAYS.',
  values: {
    GRANTED: { description: 'It is remembered from now on.' },
    REVOKED: { description: 'It was taken back.' },
  } satisfies Record<BodyOf<'grant.changed'>['change'], { description: string }>,
})

eventRef<BodyOf<'grant.changed'>>('grant.changed').implement({
  description: describe('grant.changed'),
  interfaces: [HarnessEvent],
  fields: (t) => ({
    rememberKey: t.string({ description: 'What it is remembered under.', resolve: ({ body }) => body.rememberKey }),
    change: t.field({
      type: GrantChange,
      description: 'Whether it was granted or revoked.',
      resolve: ({ body }) => body.change,
    }),
    session: t.field({
      type: Session,
      nullable: true,
      description: 'The session as it is now; null once it is gone.',
      resolve: (event, _args, context) => liveSession(event, context),
    }),
  }),
})

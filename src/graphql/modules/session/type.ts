import { activityOf, type Session as SessionState, statusOf } from '../../../domain/session/session.ts'
import { MAX_ID_BYTES, MAX_METADATA_BYTES, MAX_TITLE_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { nodeId } from '../../node-id.ts'
import { Session } from '../../refs.ts'
import { Usage } from '../run/usage.ts'
import { ActivityKind, SessionStatus } from './enums.ts'
import { Generation } from './generation.ts'
import { Origin } from './origin.ts'

const Activity = builder.objectRef<SessionState['work']>('Activity').implement({
  description: 'What a session does now, and since when.',
  fields: (t) => ({
    kind: t.field({ type: ActivityKind, description: 'What it does.', resolve: (work) => activityOf({ work }) }),
    runId: t.id({
      nullable: true,
      description: 'The run that does it; null when none is active.',
      resolve: (work) => (work.kind === 'running' ? work.runId : null),
    }),
    since: t.expose('since', { type: 'DateTime', description: 'When it began with it.' }),
  }),
})

Session.implement({
  description: 'One conversation, a node of a tree of sessions.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({
      description: 'Global id.',
      resolve: ({ scope, row }) => nodeId({ type: 'Session', scopeId: scope.scopeId, id: row.sessionId }),
    }),
    scopeId: t.id({
      description: 'The scope, by the id under which it was asked for.',
      resolve: ({ scope }) => scope.scopeId,
    }),
    sessionId: t.id({
      description: `Its id within the scope, at most ${MAX_ID_BYTES} UTF-8 bytes.`,
      resolve: ({ row }) => row.sessionId,
    }),
    generation: t.field({
      type: Generation,
      description: 'The incarnation of its id.',
      resolve: ({ row }) => row.generation,
    }),
    title: t.string({
      nullable: true,
      description: `At most ${MAX_TITLE_BYTES} UTF-8 bytes; null when it has none.`,
      resolve: ({ row }) => row.title,
    }),
    status: t.field({ type: SessionStatus, description: 'Whether it works.', resolve: ({ row }) => statusOf(row) }),
    activity: t.field({ type: Activity, description: 'What it does now.', resolve: ({ row }) => row.work }),
    depth: t.field({
      type: 'NonNegativeInt',
      description: 'Levels below the root of its tree; 0 for a root.',
      resolve: ({ row }) => row.place.depth,
    }),
    agent: t.string({
      nullable: true,
      description: 'The subagent that it was created for; null for a root.',
      resolve: ({ row }) => row.place.agent,
    }),
    origin: t.field({
      type: Origin,
      nullable: true,
      description: 'The call that created it, which never changes; null for a root.',
      resolve: ({ row }) => row.place.origin,
    }),
    metadata: t.field({
      type: 'JSON',
      nullable: true,
      description: `A JSON object of its creator, at most ${MAX_METADATA_BYTES} UTF-8 bytes; null when there is none.`,
      resolve: ({ row }) => row.metadata,
    }),
    createdBy: t.string({ description: 'The principal who created it.', resolve: ({ row }) => row.createdBy }),
    createdAt: t.field({ type: 'DateTime', description: 'When it was created.', resolve: ({ row }) => row.createdAt }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When a prompt was last queued or cancelled, or a run last began or ended.',
      resolve: ({ row }) => row.updatedAt,
    }),
    usage: t.field({ type: Usage, description: 'Tokens of its own runs.', resolve: ({ row }) => row.usage }),
  }),
})

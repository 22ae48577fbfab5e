import { intentIdOf } from '../../../kernel/ids.ts'
import { defaultLimits } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { Permission, Run, Session, UncertainToolExecution } from '../../refs.ts'
import { executionView, permissionView, sessionView } from '../../views.ts'
import { Model } from '../harness/type.ts'
import { Failure } from '../run/failure.ts'
import { Part, type PartOf, partRef } from './part.ts'

/** A call of a tool. */
export const ToolPart = partRef('tool')

ToolPart.implement({
  description: 'A call of a tool that the model asked for, and what came of it.',
  interfaces: [Part],
  fields: (t) => ({
    toolCallId: t.id({ description: 'Its id within its run.', resolve: ({ row }) => row.body.toolCallId }),
    intentId: t.id({
      description: 'The id of its execution within the scope: what `reconcileToolExecution` takes.',
      resolve: ({ runId, row }) => intentIdOf(runId, row.partIndex),
    }),
    toolName: t.string({ description: 'The tool.', resolve: ({ row }) => row.body.toolName }),
    input: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What the model gave to it; null when that is null.',
      resolve: ({ row }) => row.body.input,
    }),
    output: t.field({
      type: 'JSON',
      nullable: true,
      description:
        `What it answered, cut to ${defaultLimits.maxToolOutputBytes} UTF-8 bytes by default: see \`HarnessLimits\`. ` +
        'Null when that is null, and unless it is COMPLETED.',
      resolve: ({ row }) => row.body.output,
    }),
    error: t.field({
      type: Failure,
      nullable: true,
      description: 'Why it did not complete, as the model is told; null before its end and when it completed.',
      resolve: ({ row }) => row.body.error,
    }),
    begunAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its execution began; null before, and when it never did. From then on it may have happened.',
      resolve: ({ row }) => row.body.begunAt,
    }),
    childSession: t.field({
      type: Session,
      nullable: true,
      description:
        'Of a call of `delegate`, the session of the subagent that works on it; null for other calls, before it has ' +
        'begun, and once that session is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const { child } = row.body
        const session = child && (await reads.sessions.byKey.load(child.sessionKey))
        return session && sessionView(scope, session)
      },
    }),
    model: t.field({
      type: Model,
      nullable: true,
      description: 'Of a call of `delegate` that has ended, the model that the subagent had; null otherwise.',
      resolve: ({ row }) => row.body.child?.model ?? null,
    }),
    permission: t.field({
      type: Permission,
      nullable: true,
      description:
        'The request that a person decided or has to decide, as it is now; null when nobody was asked, and once it ' +
        'is gone.',
      resolve: async ({ scope, row }, _args, { reads }) => {
        const { permissionId } = row.body
        const permission = permissionId === null ? null : await reads.permissions.byId.load(permissionId)
        return permission && permissionView(scope, permission)
      },
    }),
    uncertainExecution: t.field({
      type: UncertainToolExecution,
      nullable: true,
      description: 'Of one that is UNCERTAIN, what a person has found out since; null otherwise.',
      resolve: async ({ scope, runId, row }, _args, { reads }) => {
        if (row.status !== 'UNCERTAIN') return null
        const execution = await reads.executions.byId.load(intentIdOf(runId, row.partIndex))
        return execution && executionView(scope, execution)
      },
    }),
  }),
})

builder.objectField(Run, 'toolExecutions', (t) =>
  t.field({
    type: [ToolPart],
    description: 'The calls of tools that its model asked for, in order, as they are in the message of its answer.',
    resolve: async ({ scope, row }, _args, { reads }) => {
      const { sessionKey, assistantMessageIndex: index, runId } = row
      const parts = await reads.messages.parts.load({ sessionKey, index })
      return parts.flatMap((part): PartOf<'tool'>[] => {
        const { body, ...rest } = part
        return body.kind === 'tool' ? [{ scope, runId, row: { ...rest, body } }] : []
      })
    },
  }),
)

import { defaultLimits, MAX_ERROR_MESSAGE_BYTES } from '../../../domain/limits.ts'
import { asIntentId, asScopeId } from '../../../kernel/ids.ts'
import type { Json } from '../../../kernel/json.ts'
import type { ReconcileToolExecution } from '../../../runtime/harness.ts'
import { builder } from '../../builder.ts'
import { mutationResult } from '../../mutation-result.ts'
import { noSuch, valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { UncertainToolExecution } from '../../refs.ts'
import { namedScope } from '../../scope-access.ts'
import { validId, validMessage } from '../../validated.ts'
import { type ExecutionView, executionView, refOf } from '../../views.ts'
import { ReconciliationOutcome } from './enums.ts'

type Found = ReconcileToolExecution['found']

interface Given {
  readonly outcome: Found['outcome']
  readonly output?: unknown
  readonly error?: string | null | undefined
}

/** Which field goes with which outcome. */
const consistent: [(given: Given) => boolean, { path: string[]; message: string }][] = [
  [
    ({ outcome, output }) => output == null || outcome === 'SUCCEEDED',
    { path: ['output'], message: 'must be absent unless `outcome` is SUCCEEDED' },
  ],
  [
    ({ outcome, error }) => (error == null) === (outcome !== 'FAILED'),
    { path: ['error'], message: 'must be given when `outcome` is FAILED, and only then' },
  ],
]

const ReconcileToolExecutionInput = builder.inputType('ReconcileToolExecutionInput', {
  description: 'What became of an uncertain execution.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    intentId: t.id({
      required: true,
      validate: validId,
      description:
        'The execution. One that does not exist, or is not uncertain, is NotFoundError; one that was reconciled ' +
        'ReconciliationStateError.',
    }),
    outcome: t.field({ type: ReconciliationOutcome, required: true, description: 'What became of it.' }),
    output: t.field({
      type: 'JSON',
      description:
        'With SUCCEEDED only: what it gave; null when absent. Cut as outputs of tools are, to ' +
        `${defaultLimits.maxToolOutputBytes} UTF-8 bytes by default.`,
    }),
    error: t.string({
      validate: validMessage,
      description: `With FAILED, and only then: why. Not empty, at most ${MAX_ERROR_MESSAGE_BYTES} UTF-8 bytes.`,
    }),
  }),
})

const ReconcileToolExecutionPayload = builder
  .objectRef<{ readonly execution: ExecutionView }>('ReconcileToolExecutionPayload')
  .implement({
    description: 'It is known now what became of it. The next run of the session is told.',
    fields: (t) => ({
      execution: t.expose('execution', {
        type: UncertainToolExecution,
        description: 'The execution, with what became of it.',
      }),
    }),
  })

builder.mutationField('reconcileToolExecution', (t) =>
  t.field({
    type: mutationResult('ReconcileToolExecution', ReconcileToolExecutionPayload, [
      ...commonRefusals,
      'RECONCILIATION_STATE',
    ]),
    nullable: true,
    description: 'Says what became of an execution of a tool of which nobody knew how it ended. What is said first counts.',
    args: {
      input: t.arg({
        type: ReconcileToolExecutionInput,
        required: true,
        validate: consistent,
        description: 'What became of it.',
      }),
    },
    resolve: async (_root, { input }, context) => {
      const scope = refOf(await namedScope(context, asScopeId(input.scopeId)))
      if (!scope) throw noSuch('tool execution', input.intentId)
      const request = { scopeId: scope.scopeId, intentId: asIntentId(input.intentId), found: foundIn(input) }
      const row = valueOf(await context.harness.reconcileToolExecution(request, context.caller))
      return { execution: executionView(scope, row) }
    },
  }),
)

function foundIn({ outcome, output, error }: Given): Found {
  switch (outcome) {
    case 'SUCCEEDED':
      return { outcome, output: (output ?? null) as Json }
    case 'FAILED':
      return { outcome, error: error ?? '' }
    case 'NOT_EXECUTED':
      return { outcome }
  }
}

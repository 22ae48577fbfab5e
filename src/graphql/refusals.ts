import type { Issue, RefusalOf } from '../kernel/refusal.ts'
import { MAX_MISMATCHES_LISTED } from '../domain/limits.ts'
import { builder } from './builder.ts'
import { Generation } from './modules/session/generation.ts'
import { errorTypeNames, type MutationRefusal, type MutationRefusalCode } from './refusal-names.ts'

const ErrorCode = builder.enumType('ErrorCode', {
  description: 'Why a mutation did nothing. The same words stand in `extensions.code` of errors outside of mutations.',
  values: {
    VALIDATION_FAILED: { description: 'The input breaks a rule.' },
    NOT_FOUND: { description: 'What the input names does not exist, or the caller may not know that it does.' },
    SESSION_BUSY: { description: 'The session has a prompt that waits or runs.' },
    QUEUE_FULL: { description: 'A limit of the queue is reached.' },
    PERMISSION_STATE: { description: 'The request for permission does not wait any more.' },
    RECONCILIATION_STATE: { description: 'The execution is not uncertain any more.' },
    COHORT_MISMATCH: { description: 'Something would be deleted that the caller did not authorise.' },
    SCOPE_FENCED: { description: 'The scope takes no work until its state has been verified.' },
    SCOPE_RETIRED: { description: 'The scope is being retired and takes no work until that is over.' },
    SHUTTING_DOWN: { description: 'The harness is closing.' },
    STORE_CONFLICT: { description: 'Others changed the same thing, again and again.' },
    FORBIDDEN: { description: 'The caller may see this, but not change it.' },
  } satisfies Record<MutationRefusalCode, { description: string }>,
})

const ErrorInterface = builder.interfaceRef<MutationRefusal>('Error').implement({
  description: 'Why a mutation did nothing. Nothing was stored.',
  resolveType: ({ code }) => errorTypeNames[code],
  fields: (t) => ({
    code: t.expose('code', { type: ErrorCode, description: 'Stable, for programs.' }),
    message: t.exposeString('message', { description: 'For people, in English. May change.' }),
  }),
})

const ValidationIssue = builder.objectRef<Issue>('ValidationIssue').implement({
  description: 'One field of the input that breaks a rule.',
  fields: (t) => ({
    path: t.stringList({
      description: 'The way to the field, such as `["input", "attachments", "0", "url"]`.',
      resolve: ({ path }) => path.map(String),
    }),
    message: t.exposeString('message', { description: 'What is wrong with it, in English.' }),
  }),
})

const CohortMismatch = builder
  .objectRef<RefusalOf<'COHORT_MISMATCH'>['sessions'][number]>('CohortMismatch')
  .implement({
    description: 'A session that would be deleted and is not authorised as it is.',
    fields: (t) => ({
      sessionId: t.exposeID('sessionId', { description: 'The session.' }),
      expected: t.expose('expected', {
        type: Generation,
        nullable: true,
        description: 'The generation that was authorised; null when none was.',
      }),
      actual: t.expose('actual', { type: Generation, description: 'The generation that is there.' }),
    }),
  })

const ref = <Code extends MutationRefusalCode>(code: Code) => builder.objectRef<RefusalOf<Code>>(errorTypeNames[code])

/** The object types of the refusals. */
export const errorTypes = {
  VALIDATION_FAILED: ref('VALIDATION_FAILED').implement({
    description: 'The input breaks rules. All of them are listed.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      issues: t.expose('issues', { type: [ValidationIssue], description: 'Every field that breaks a rule.' }),
    }),
  }),
  NOT_FOUND: ref('NOT_FOUND').implement({
    description: 'What the input names does not exist, or the caller may not know that it does.',
    interfaces: [ErrorInterface],
  }),
  SESSION_BUSY: ref('SESSION_BUSY').implement({
    description: 'The session has a prompt that waits or runs, and the caller did not want to wait.',
    interfaces: [ErrorInterface],
  }),
  QUEUE_FULL: ref('QUEUE_FULL').implement({
    description: 'A limit of the queue is reached: prompts or bytes that have not finished, or calls in flight.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      limit: t.expose('limit', { type: 'SafeInt', description: 'The limit, in the unit that `message` names.' }),
    }),
  }),
  PERMISSION_STATE: ref('PERMISSION_STATE').implement({
    description: 'The request was answered before, or its run has ended or is being stopped. The first answer counts.',
    interfaces: [ErrorInterface],
  }),
  RECONCILIATION_STATE: ref('RECONCILIATION_STATE').implement({
    description: 'The execution was reconciled before. What was said first counts.',
    interfaces: [ErrorInterface],
  }),
  COHORT_MISMATCH: ref('COHORT_MISMATCH').implement({
    description:
      'Sessions would be deleted that the caller did not authorise in exactly their generation. Nothing was deleted.',
    interfaces: [ErrorInterface],
    fields: (t) => ({
      sessions: t.expose('sessions', {
        type: [CohortMismatch],
        description: `Those sessions, at most ${MAX_MISMATCHES_LISTED} of them.`,
      }),
      totalMismatches: t.expose('totalMismatches', { type: 'NonNegativeInt', description: 'How many there are in all.' }),
    }),
  }),
  SCOPE_FENCED: ref('SCOPE_FENCED').implement({
    description: 'The scope takes no work until its durable state has been verified. Try again later.',
    interfaces: [ErrorInterface],
  }),
  SCOPE_RETIRED: ref('SCOPE_RETIRED').implement({
    description:
      'The scope is being retired: it takes no more work, and what waited or ran is cancelled. When that is over, its ' +
      'next use begins afresh.',
    interfaces: [ErrorInterface],
  }),
  SHUTTING_DOWN: ref('SHUTTING_DOWN').implement({
    description: 'The harness is closing and takes no new work. Try again when it has been started again.',
    interfaces: [ErrorInterface],
  }),
  STORE_CONFLICT: ref('STORE_CONFLICT').implement({
    description: 'Others changed the same thing at the same time, again and again. Nothing was changed; try again.',
    interfaces: [ErrorInterface],
  }),
  FORBIDDEN: ref('FORBIDDEN').implement({
    description: 'The caller may see this scope, but not change it.',
    interfaces: [ErrorInterface],
  }),
}

/** Those that every mutation of a conversation can meet. */
export const commonRefusals = [
  'VALIDATION_FAILED',
  'NOT_FOUND',
  'FORBIDDEN',
  'SCOPE_FENCED',
  'SCOPE_RETIRED',
  'SHUTTING_DOWN',
  'STORE_CONFLICT',
] as const satisfies readonly MutationRefusalCode[]

import {
  CLIENT_REQUEST_MEMORY_MS,
  defaultLimits,
  MAX_ATTACHMENTS,
  MAX_FILENAME_BYTES,
  MAX_ID_BYTES,
  MAX_MODEL_HINT_BYTES,
  MAX_SYSTEM_BYTES,
} from '../../../domain/limits.ts'
import type { WhenBusy as Policy } from '../../../domain/prompt/prompt.ts'
import { builder } from '../../builder.ts'
import { BudgetInput } from '../run/budget.ts'
import {
  atMostItems,
  validDataUrl,
  validFilename,
  validId,
  validMaxSteps,
  validMediaType,
  validModelHint,
  validPromptText,
  validSystem,
} from '../../validated.ts'

const DAYS_REMEMBERED = CLIENT_REQUEST_MEMORY_MS / (24 * 3_600_000)
const PROMPT_BYTES =
  `Counts against the ${defaultLimits.maxPromptBytes} UTF-8 bytes that a prompt may have by default: see ` +
  `\`HarnessLimits\`.`

const WhenBusy = builder.enumType('WhenBusy', {
  description: 'What a prompt does when its session is busy.',
  values: {
    ENQUEUE: { description: 'It waits for its turn.' },
    REJECT: { description: 'It is refused: SessionBusyError.' },
    INTERRUPT: { description: 'It stops the active run and runs before all that wait; of several the newest first.' },
  } satisfies Record<Policy, { description: string }>,
})

const AttachmentInput = builder.inputType('AttachmentInput', {
  description: 'A file that goes with a prompt.',
  fields: (t) => ({
    mediaType: t.string({ required: true, validate: validMediaType, description: 'Such as `image/png`.' }),
    filename: t.string({
      validate: validFilename,
      description: `At most ${MAX_FILENAME_BYTES} UTF-8 bytes without control characters.`,
    }),
    url: t.string({
      required: true,
      validate: validDataUrl,
      description: `Its content as a \`data:\` URL. ${PROMPT_BYTES}`,
    }),
  }),
})

const PromptOptionsInput = builder.inputType('PromptOptionsInput', {
  description: 'How a prompt is to be executed.',
  fields: (t) => ({
    modelHint: t.string({
      validate: validModelHint,
      description:
        `The model, as \`Model.id\` says it; the harness' own when absent. At most ${MAX_MODEL_HINT_BYTES} ` +
        'UTF-8 bytes.',
    }),
    system: t.string({
      validate: validSystem,
      description: `Takes the place of the system prompt for this run. At most ${MAX_SYSTEM_BYTES} UTF-8 bytes.`,
    }),
    maxSteps: t.int({
      validate: validMaxSteps,
      description:
        'Model calls, at least 1; the limit of the harness when absent. A run that wants more fails with ' +
        'BUDGET_EXCEEDED.',
    }),
    budget: t.field({ type: BudgetInput, description: 'What its run may use; no limit when absent.' }),
  }),
})

export const EnqueuePromptInput = builder.inputType('EnqueuePromptInput', {
  description: 'A prompt, and the session that it is for.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    sessionId: t.id({
      required: true,
      validate: validId,
      description: 'The session. One that does not exist is NotFoundError.',
    }),
    text: t.string({
      required: true,
      validate: validPromptText,
      description:
        'What to ask: not empty, no control characters but tab, line feed and carriage return. ' + PROMPT_BYTES,
    }),
    attachments: t.field({
      type: [AttachmentInput],
      validate: atMostItems(MAX_ATTACHMENTS),
      description: `Files that go with it, at most ${MAX_ATTACHMENTS}.`,
    }),
    options: t.field({ type: PromptOptionsInput, description: 'How it is to be executed.' }),
    whenBusy: t.field({
      type: WhenBusy,
      defaultValue: 'ENQUEUE',
      description: 'What it does when the session is busy.',
    }),
    clientRequestId: t.id({
      validate: validId,
      description:
        `Makes the request safe to repeat: for ${DAYS_REMEMBERED} days the same id with the same input gives the ` +
        `same entry, with another input it is refused. Unique per session. At most ${MAX_ID_BYTES} UTF-8 bytes.`,
    }),
  }),
})

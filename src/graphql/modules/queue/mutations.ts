import type { Attachment } from '../../../domain/prompt/prompt.ts'
import { asQueueId, asScopeId, asSessionId } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { given } from '../../given.ts'
import { mutationResult } from '../../mutation-result.ts'
import { noSuch, valueOf } from '../../refusal-error.ts'
import { commonRefusals } from '../../refusals.ts'
import { QueueEntry } from '../../refs.ts'
import { namedScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import { type QueueEntryView, refOf } from '../../views.ts'
import { EnqueuePromptInput } from './enqueue-prompt-input.ts'

const EnqueuePromptPayload = builder.objectRef<{ readonly entry: QueueEntryView }>('EnqueuePromptPayload').implement({
  description: 'The prompt is in the queue, durably.',
  fields: (t) => ({ entry: t.expose('entry', { type: QueueEntry, description: 'Its place in the queue.' }) }),
})

const CancelPromptInput = builder.inputType('CancelPromptInput', {
  description: 'The prompt that is to be cancelled.',
  fields: (t) => ({
    scopeId: t.id({ required: true, validate: validId, description: 'The scope.' }),
    sessionId: t.id({
      required: true,
      validate: validId,
      description: 'The session. One that does not exist is NotFoundError.',
    }),
    queueId: t.id({
      required: true,
      validate: validId,
      description: 'The queue entry. One that does not exist is NotFoundError.',
    }),
  }),
})

const CancelPromptPayload = builder.objectRef<{ readonly cancelled: boolean }>('CancelPromptPayload').implement({
  description: 'Whether the prompt could still be cancelled.',
  fields: (t) => ({
    cancelled: t.exposeBoolean('cancelled', {
      description: 'True when it was taken from the queue, or its run was asked to stop; false when it was too late.',
    }),
  }),
})

builder.mutationFields((t) => ({
  enqueuePrompt: t.field({
    type: mutationResult('EnqueuePrompt', EnqueuePromptPayload, [...commonRefusals, 'SESSION_BUSY', 'QUEUE_FULL']),
    nullable: true,
    description: 'Puts a prompt into the queue of a session. It is executed when its turn comes.',
    args: { input: t.arg({ type: EnqueuePromptInput, required: true, description: 'The prompt, and its session.' }) },
    resolve: async (_root, { input }, context) => {
      const scope = refOf(await namedScope(context, asScopeId(input.scopeId)))
      if (!scope) throw noSuch('session', input.sessionId)
      const { text, whenBusy, clientRequestId } = input
      const request = {
        scopeId: scope.scopeId,
        sessionId: asSessionId(input.sessionId),
        text,
        ...given({ whenBusy, clientRequestId }),
        ...(input.attachments && { attachments: input.attachments.map(attachment) }),
        ...(input.options && { options: given(input.options) }),
      }
      const entry = valueOf(await context.harness.enqueuePrompt(request, context.caller))
      return { entry: { kind: 'QueueEntry' as const, scope, entry } }
    },
  }),
  cancelPrompt: t.field({
    type: mutationResult('CancelPrompt', CancelPromptPayload, commonRefusals),
    nullable: true,
    description: 'Takes a prompt out of the queue, or stops its run.',
    args: { input: t.arg({ type: CancelPromptInput, required: true, description: 'The prompt.' }) },
    resolve: async (_root, { input }, context) => {
      const { scopeId } = await namedScope(context, asScopeId(input.scopeId))
      const request = { scopeId, sessionId: asSessionId(input.sessionId), queueId: asQueueId(input.queueId) }
      return { cancelled: valueOf(await context.harness.cancelPrompt(request, context.caller)) }
    },
  }),
}))

interface GivenAttachment {
  readonly mediaType: string
  readonly filename?: string | null | undefined
  readonly url: string
}

const attachment = ({ mediaType, filename, url }: GivenAttachment): Attachment => ({
  mediaType,
  filename: filename ?? null,
  url,
})

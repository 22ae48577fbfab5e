import type { PartBody, PartStatus as Status } from '../../../domain/message/message.ts'
import { MAX_FILENAME_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import type { PartRow } from '../../facade-types.ts'

/** A part whose body is of one kind. */
export type PartOf<Kind extends PartBody['kind']> = Omit<PartRow, 'body'> & {
  readonly body: Extract<PartBody, { kind: Kind }>
}

const typeNames = {
  text: 'TextPart',
  reasoning: 'ReasoningPart',
  attachment: 'AttachmentPart',
} as const satisfies Record<PartBody['kind'], string>

const PartStatus = builder.enumType('PartStatus', {
  description: 'Whether a part still grows, or how it ended.',
  values: {
    RUNNING: { description: 'It still grows.' },
    COMPLETED: { description: 'It is complete.' },
    FAILED: { description: 'Its run failed before it was complete.' },
    CANCELLED: { description: 'Its run was stopped before it was complete.' },
  } satisfies Record<Status, { description: string }>,
})

export const Part = builder.interfaceRef<PartRow>('Part').implement({
  description: 'A piece of a message. Once it is not RUNNING it never changes.',
  resolveType: ({ body }) => typeNames[body.kind],
  fields: (t) => ({
    partId: t.exposeID('partId', { description: 'Its id within the scope.' }),
    partIndex: t.expose('partIndex', {
      type: 'NonNegativeInt',
      description: 'Its position in the message, from 0, without gaps.',
    }),
    status: t.expose('status', { type: PartStatus, description: 'Whether it still grows, or how it ended.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null while it grows.',
    }),
  }),
})

builder.objectRef<PartOf<'text'>>(typeNames.text).implement({
  description: 'Text for people.',
  interfaces: [Part],
  fields: (t) => ({
    text: t.string({
      description: 'The text so far, while it grows; then the whole text.',
      resolve: ({ body }) => body.text,
    }),
  }),
})

builder.objectRef<PartOf<'reasoning'>>(typeNames.reasoning).implement({
  description: 'What the model thought on its way to the answer.',
  interfaces: [Part],
  fields: (t) => ({
    text: t.string({
      description: 'The reasoning so far, while it grows; then the whole of it.',
      resolve: ({ body }) => body.text,
    }),
  }),
})

builder.objectRef<PartOf<'attachment'>>(typeNames.attachment).implement({
  description: 'A file that came with a prompt.',
  interfaces: [Part],
  fields: (t) => ({
    mediaType: t.string({ description: 'Such as `image/png`.', resolve: ({ body }) => body.mediaType }),
    filename: t.string({
      nullable: true,
      description: `At most ${MAX_FILENAME_BYTES} UTF-8 bytes; null when the prompt named none.`,
      resolve: ({ body }) => body.filename,
    }),
    url: t.string({ description: 'Its content as a `data:` URL.', resolve: ({ body }) => body.url }),
  }),
})

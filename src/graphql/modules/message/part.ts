import type { PartBody, PartStatus as Status } from '../../../domain/message/message.ts'
import { MAX_FILENAME_BYTES } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import type { PartRow } from '../../facade-types.ts'
import type { PartView } from '../../views.ts'

/** A part whose body is of one kind. */
export type PartOf<Kind extends PartBody['kind']> = Omit<PartView, 'row'> & {
  readonly row: Omit<PartRow, 'body'> & { readonly body: Extract<PartBody, { kind: Kind }> }
}

const typeNames = {
  text: 'TextPart',
  reasoning: 'ReasoningPart',
  attachment: 'AttachmentPart',
  tool: 'ToolPart',
} as const satisfies Record<PartBody['kind'], string>

const PartStatus = builder.enumType('PartStatus', {
  description: 'How far a part has come, or how it ended.',
  values: {
    PENDING: { description: 'Of calls of tools: it has not begun.' },
    AWAITING_PERMISSION: { description: 'Of calls of tools: it waits for a person to decide; see `permission`.' },
    RUNNING: { description: 'It still grows; a call of a tool is being executed.' },
    COMPLETED: { description: 'It is complete.' },
    FAILED: { description: 'Its run failed before it was complete; a call of a tool failed, or was denied.' },
    CANCELLED: { description: 'Its run was stopped before it was complete; a call of a tool was not executed.' },
    UNCERTAIN: {
      description: 'Of calls of tools: it was begun and nobody knows how it ended; see `uncertainExecution`.',
    },
    INTERRUPTED: { description: 'It was cut off with its process, and its step was repeated.' },
  } satisfies Record<Status, { description: string }>,
})

export const Part = builder.interfaceRef<PartView>('Part').implement({
  description: 'A piece of a message. Once it has a `finishedAt` it never changes.',
  resolveType: ({ row }) => typeNames[row.body.kind],
  fields: (t) => ({
    partId: t.id({ description: 'Its id within the scope.', resolve: ({ row }) => row.partId }),
    partIndex: t.field({
      type: 'NonNegativeInt',
      description: 'Its position in the message, from 0, without gaps.',
      resolve: ({ row }) => row.partIndex,
    }),
    status: t.field({
      type: PartStatus,
      description: 'How far it has come, or how it ended.',
      resolve: ({ row }) => row.status,
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it began; for a call of a tool, when the model asked for it.',
      resolve: ({ row }) => row.startedAt,
    }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null before.',
      resolve: ({ row }) => row.finishedAt,
    }),
  }),
})

/** The object type of parts of one kind, still without fields of its own. */
export const partRef = <Kind extends PartBody['kind']>(kind: Kind) => builder.objectRef<PartOf<Kind>>(typeNames[kind])

partRef('text').implement({
  description: 'Text for people.',
  interfaces: [Part],
  fields: (t) => ({
    text: t.string({
      description: 'The text so far, while it grows; then the whole text.',
      resolve: ({ row }) => row.body.text,
    }),
  }),
})

partRef('reasoning').implement({
  description: 'What the model thought on its way to the answer.',
  interfaces: [Part],
  fields: (t) => ({
    text: t.string({
      description: 'The reasoning so far, while it grows; then the whole of it.',
      resolve: ({ row }) => row.body.text,
    }),
  }),
})

partRef('attachment').implement({
  description: 'A file that came with a prompt.',
  interfaces: [Part],
  fields: (t) => ({
    mediaType: t.string({ description: 'Such as `image/png`.', resolve: ({ row }) => row.body.mediaType }),
    filename: t.string({
      nullable: true,
      description: `At most ${MAX_FILENAME_BYTES} UTF-8 bytes; null when the prompt named none.`,
      resolve: ({ row }) => row.body.filename,
    }),
    url: t.string({ description: 'Its content as a `data:` URL.', resolve: ({ row }) => row.body.url }),
  }),
})

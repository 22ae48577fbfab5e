import type { PartAddress } from '../../../domain/event/event.ts'
import { isStreaming } from '../../../domain/message/message.ts'
import { builder } from '../../builder.ts'
import type { GraphQLContext } from '../../context.ts'
import type { PartRow } from '../../facade-types.ts'
import type { PartView } from '../../views.ts'
import { Part } from '../message/part.ts'
import { livePartRow } from './live-fields.ts'
import { objectName } from './names.ts'
import { describe, eventRef, HarnessEvent } from './type.ts'
import type { BodyOf, EventView, Update } from './view.ts'

type Delta = PartAddress & Pick<Update<'delta'>['delta'], 'delta' | 'baseBytes' | 'totalBytes'>
type Snapshot = PartAddress & Pick<Update<'snapshot'>, 'text' | 'totalBytes'>

const PartEvent = builder.interfaceRef<EventView<PartAddress>>('PartEvent').implement({
  description: 'Something that happened to a part of a message.',
  interfaces: [HarnessEvent],
  resolveType: ({ name }) => objectName(name),
  fields: (t) => ({
    runId: t.id({ nullable: true, description: 'The run that it belongs to.', resolve: ({ body }) => body.runId }),
    messageId: t.id({ description: 'The message that it belongs to.', resolve: ({ body }) => body.messageId }),
    partId: t.id({ description: 'The part.', resolve: ({ body }) => body.partId }),
    messageIndex: t.field({
      type: 'NonNegativeInt',
      description: 'The position of the message in the conversation, from 0.',
      resolve: ({ body }) => body.messageIndex,
    }),
    partIndex: t.field({
      type: 'NonNegativeInt',
      description: 'The position of the part in the message, from 0.',
      resolve: ({ body }) => body.partIndex,
    }),
  }),
})

eventRef<BodyOf<'part.created'>>('part.created').implement({
  description: describe('part.created'),
  interfaces: [HarnessEvent, PartEvent],
  fields: (t) => ({
    part: t.field({
      type: Part,
      nullable: true,
      description:
        'The part as it began: without text, which comes in deltas, and a call of a tool PENDING. Null once it is ' +
        'gone.',
      resolve: (event, _args, context) => partOf(event, context, asItBegan),
    }),
  }),
})

eventRef<BodyOf<'part.updated'>>('part.updated').implement({
  description: describe('part.updated'),
  interfaces: [HarnessEvent, PartEvent],
  fields: (t) => ({
    part: t.field({
      type: Part,
      nullable: true,
      description: 'The part as it is now, maybe further than at this event. Null once it is gone.',
      resolve: (event, _args, context) => partOf(event, context),
    }),
  }),
})

eventRef<BodyOf<'part.completed'>>('part.completed').implement({
  description: describe('part.completed'),
  interfaces: [HarnessEvent, PartEvent],
  fields: (t) => ({
    part: t.field({
      type: Part,
      nullable: true,
      description: 'The whole part: it replaces what deltas built. Null once it is gone.',
      resolve: (event, _args, context) => partOf(event, context),
    }),
  }),
})

eventRef<Delta>('part.delta').implement({
  description: describe('part.delta'),
  interfaces: [HarnessEvent, PartEvent],
  fields: (t) => ({
    delta: t.string({ description: 'The text that was added. Whole code points.', resolve: ({ body }) => body.delta }),
    baseBytes: t.field({
      type: 'SafeInt',
      description: 'UTF-8 bytes of the part before. Whoever holds another number has missed something.',
      resolve: ({ body }) => body.baseBytes,
    }),
    totalBytes: t.field({
      type: 'SafeInt',
      description: 'UTF-8 bytes of the part afterwards.',
      resolve: ({ body }) => body.totalBytes,
    }),
  }),
})

eventRef<Snapshot>('part.snapshot').implement({
  description: describe('part.snapshot'),
  interfaces: [HarnessEvent, PartEvent],
  fields: (t) => ({
    part: t.field({
      type: Part,
      nullable: true,
      description: 'The part with its text so far: deltas go on from exactly there. Null once it is gone.',
      resolve: (event, _args, context) => partOf(event, context, (row) => growing(row, event.body.text)),
    }),
    totalBytes: t.field({
      type: 'SafeInt',
      description: 'UTF-8 bytes of the text so far.',
      resolve: ({ body }) => body.totalBytes,
    }),
  }),
})

async function partOf(
  event: EventView<PartAddress>,
  context: GraphQLContext,
  shown: (row: PartRow) => PartRow = (row) => row,
): Promise<PartView | null> {
  const row = await livePartRow(event, context)
  return row && { scope: event.scope, runId: event.body.runId, row: shown(row) }
}

/** The part as it was when it still grew and had `text`. */
const growing = (row: PartRow, text: string): PartRow =>
  isStreaming(row.body) ? { ...row, status: 'RUNNING', finishedAt: null, body: { ...row.body, text } } : row

function asItBegan(row: PartRow): PartRow {
  const { body } = row
  if (body.kind !== 'tool') return growing(row, '')
  const nothingYet = { permissionId: null, begunAt: null, child: null, output: null, error: null }
  return { ...row, status: 'PENDING', finishedAt: null, body: { ...body, ...nothingYet } }
}

import { builder } from '../../builder.ts'
import { type Cursors, cursorsOf, integer, scopeMark } from '../../cursor.ts'
import type { ScopeRef } from '../../views.ts'
import { Generation } from '../session/generation.ts'
import { enumName, type EventEnumName, type EventName, objectName } from './names.ts'
import type { EventView } from './view.ts'

const descriptions: Readonly<Record<EventName, string>> = {
  'session.created': 'A session was created.',
  'session.deleted':
    'A session was deleted, and nothing that it contained is stored any more. Told of each session, children first; a ' +
    'subscription to the session alone ends after it.',
  'prompt.queued': 'A prompt was put into a queue.',
  'prompt.started': 'A prompt got its run.',
  'prompt.running': 'The run of a prompt looks for its model.',
  'prompt.finished': 'A prompt completed, failed or was cancelled.',
  'run.started': 'A run began.',
  'run.finished': 'A run ended. No event of it follows.',
  'message.created': 'A message was added to a conversation.',
  'message.updated': 'A message has got its last change: its run is ending.',
  'part.created': 'A part began.',
  'part.updated': 'A call of a tool waits for a person, was answered, or has begun.',
  'part.completed': 'A part is complete and never changes again.',
  'permission.requested': 'A run asks a person before it goes on.',
  'permission.resolved': 'A request was decided, allowed by an earlier ALWAYS, or cancelled with its run.',
  'grant.changed': 'An ALWAYS was remembered, or taken back.',
  'tool.uncertain': 'A call of a tool was begun and nobody knows how it ended.',
  'tool.reconciled': 'A person said what became of an uncertain call.',
  'scope.fenced':
    'The scope took no more work, because what is stored of it had to be verified first; its runs were stopped. ' +
    'Told with SCOPE_RESTORED.',
  'scope.restored': 'What is stored of the scope is verified, and it takes work again.',
  'part.delta': 'Not stored: a piece of text that a part gained.',
  'part.snapshot': 'Not stored: the text so far of a part that grows, from which deltas go on.',
  'session.activity': 'Not stored: a session does something else now.',
  'cursor.advanced':
    'Not stored: nothing that matches happened up to here. Keeps the cursor of a quiet subscription fresh.',
}

const valueOf = <Name extends EventName>(name: Name) => ({ value: name, description: descriptions[name] })

const values = Object.fromEntries(
  (Object.keys(descriptions) as EventName[]).map((name) => [enumName(name), valueOf(name)]),
) as Record<EventEnumName, { value: EventName; description: string }>

export const HarnessEventType = builder.enumType('HarnessEventType', { description: 'What an event reports.', values })

/** The places in a scope's log. The log and the subscription share them. */
export const eventCursors = ({ storageKey }: Pick<ScopeRef, 'storageKey'>): Cursors<number> =>
  cursorsOf(['events', scopeMark(storageKey)], integer)

export const HarnessEvent = builder.interfaceRef<EventView>('HarnessEvent').implement({
  description:
    'Something that happened in a scope. Its own values are as they were then; sessions, runs, messages and ' +
    'parts are read when it is delivered.',
  resolveType: ({ name }) => objectName(name),
  fields: (t) => ({
    eventId: t.id({
      nullable: true,
      description: 'Unique among all events; null for those that are not stored.',
      resolve: ({ scope, sequence }) =>
        sequence === null ? null : `HarnessEvent:${encodeURIComponent(scope.scopeId)}/${sequence}`,
    }),
    type: t.field({ type: HarnessEventType, description: 'What it reports.', resolve: ({ name }) => name }),
    sequence: t.expose('sequence', {
      type: 'SafeInt',
      nullable: true,
      description: 'Its position in the log of the scope, from 1, without gaps; null for events that are not stored.',
    }),
    cursor: t.string({
      nullable: true,
      description:
        'Where to go on after it, for `after`; null for events that are not stored, but for CURSOR_ADVANCED.',
      resolve: ({ scope, resumeFrom }) => (resumeFrom === null ? null : eventCursors(scope).encode(resumeFrom)),
    }),
    timestamp: t.expose('timestamp', { type: 'DateTime', description: 'When it happened.' }),
    scopeId: t.id({
      description: 'The scope, by the id under which it was asked for.',
      resolve: ({ scope }) => scope.scopeId,
    }),
    sessionId: t.id({
      nullable: true,
      description: 'The session that it is about; null for SCOPE_FENCED, SCOPE_RESTORED and CURSOR_ADVANCED.',
      resolve: ({ session }) => session?.sessionId ?? null,
    }),
    generation: t.field({
      type: Generation,
      nullable: true,
      description:
        'The incarnation of that session, also when its id was created anew since; null where there is no session.',
      resolve: ({ session }) => session?.generation ?? null,
    }),
  }),
})

/** The object type of one kind of event, still without fields of its own. */
export const eventRef = <Body>(name: EventName) => builder.objectRef<EventView<Body>>(objectName(name))

export const describe = (name: EventName): string => descriptions[name]

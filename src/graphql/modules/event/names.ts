import { durableEventTypes, type EventType } from '../../../domain/event/event.ts'

/** Events that are told and not stored. */
export const ephemeralEventNames = ['part.delta', 'part.snapshot', 'session.activity', 'cursor.advanced'] as const

export type EventName = EventType | (typeof ephemeralEventNames)[number]

type EnumName<Name extends EventName> = Name extends `${infer Concept}.${infer Change}`
  ? `${Uppercase<Concept>}_${Uppercase<Change>}`
  : never

export type EventEnumName = EnumName<EventName>

/** `part.delta` is `PART_DELTA` as an enum value … */
export const enumName = <Name extends EventName>(name: Name): EnumName<Name> =>
  name.toUpperCase().replace('.', '_') as EnumName<Name>

/** … and `PartDeltaEvent` as an object type. */
export const objectName = (name: EventName): string =>
  `${name
    .split('.')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')}Event`

export const isDurable = (name: EventName): name is EventType => durableEventTypes.some((durable) => durable === name)

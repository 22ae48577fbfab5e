import { z } from 'zod'
import { digest } from '../kernel/json.ts'
import type { StorageKey } from '../kernel/ids.ts'
import { invalidArgument } from './refusal-error.ts'

/** Characters of a cursor that is looked at; ours are far shorter. */
const MAX_CURSOR_LENGTH = 2048

/** The cursors of one list: opaque, and of no use in any other. */
export interface Cursors<Position> {
  encode(position: Position): string
  /** Throws a `RefusalError` that names the argument when the text is not a cursor of this list. */
  decode(text: string, argument: string): Position
}

/** `list` names the list, and `position` is what a place in it looks like. */
export function cursorsOf<Position>(
  list: readonly (string | number)[],
  position: z.ZodType<Position>,
): Cursors<Position> {
  const name = list.join('/')
  return {
    encode: (place) => Buffer.from(JSON.stringify([name, place])).toString('base64url'),
    // Built here, as every event is given a cursor and few of them come back.
    decode(text, argument) {
      const shape = z.tuple([z.literal(name), position])
      const place = shape.safeParse(parsed(text))
      if (!place.success) throw foreignCursor(argument)
      return place.data[1]
    },
  }
}

function parsed(text: string): unknown {
  if (text.length > MAX_CURSOR_LENGTH) return undefined
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** What is said of a text that is no cursor of the list. */
export const foreignCursor = (argument: string) =>
  invalidArgument([argument], 'must be a cursor that this list gave, of this scope. Leave it out to begin anew.')

/** Stands for a scope's data in cursors, without telling its storage key. The same under every id of the scope. */
export const scopeMark = (storageKey: StorageKey): string => digest(storageKey).slice(0, 16)

/** A sequence, an index or a time, as part of a position. */
export const integer = z.number().int().nonnegative()

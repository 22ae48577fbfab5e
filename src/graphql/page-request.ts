import { DEFAULT_PAGE } from './page-size.ts'
import type { Cursors } from './cursor.ts'
import { invalidArgument } from './refusal-error.ts'

/** Which part of a list is asked for. */
export interface PageRequest<Position> {
  readonly take: 'first' | 'last'
  readonly size: number
  /** Exclusive bounds. */
  readonly after?: Position
  readonly before?: Position
}

export interface PageArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
  readonly last?: number | null | undefined
  readonly before?: string | null | undefined
}

/** Reads the arguments of a connection. Throws a `RefusalError` for a foreign cursor and for `first` beside `last`. */
export function pageRequest<Position>(
  { first, after, last, before }: PageArguments,
  cursors: Cursors<Position>,
): PageRequest<Position> {
  if (first != null && last != null) throw invalidArgument(['last'], 'cannot be combined with `first`')
  return {
    take: last == null ? 'first' : 'last',
    size: last ?? first ?? DEFAULT_PAGE,
    ...(after != null && { after: cursors.decode(after, 'after') }),
    ...(before != null && { before: cursors.decode(before, 'before') }),
  }
}

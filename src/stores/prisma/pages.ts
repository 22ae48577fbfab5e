import { MAX_ROWS } from './bulk.ts'

/**
 * Looks a list up in pieces of at most `MAX_ROWS`, one statement each, and puts the answers together. What is in the
 * list several times is looked up once.
 */
export async function inPages<T, Found>(
  list: readonly T[],
  lookUp: (page: readonly T[]) => Promise<readonly Found[]>,
): Promise<readonly Found[]> {
  const all = [...new Set(list)]
  const found: (readonly Found[])[] = []
  for (let from = 0; from < all.length; from += MAX_ROWS) found.push(await lookUp(all.slice(from, from + MAX_ROWS)))
  return found.flat()
}

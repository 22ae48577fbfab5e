import DataLoader from 'dataloader'

/** Rows that one statement looks for at most. */
const MAX_BATCH = 2000

/** One statement for everything that is asked for at the same time. `batch` answers in the order of the keys. */
export const batchLoader = <Key, Value>(
  batch: (keys: readonly Key[]) => Promise<readonly Value[]>,
  textOf: (key: Key) => string = (key) => JSON.stringify(key),
): DataLoader<Key, Value, string> => new DataLoader(batch, { cacheKeyFn: textOf, maxBatchSize: MAX_BATCH })

/** The same for stores that answer with the rows they found, in any order. A row that is missing is null. */
export const rowLoader = <Key extends string | number, Row>(
  find: (keys: readonly Key[]) => Promise<readonly Row[]>,
  keyOf: (row: Row) => Key,
): DataLoader<Key, Row | null> =>
  new DataLoader<Key, Row | null>(
    async (keys) => {
      const rows = new Map((await find(keys)).map((row) => [keyOf(row), row]))
      return keys.map((key) => rows.get(key) ?? null)
    },
    { maxBatchSize: MAX_BATCH },
  )

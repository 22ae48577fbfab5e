import type { Stores, TombstoneRow } from '../../facade-types.ts'
import { rowLoader } from '../../row-loader.ts'

/** Reads sessions that are being deleted. */
export const tombstoneLoaders = (structure: Stores['structure']) => ({
  byKey: rowLoader(
    (keys) => structure.tombstonesOf(keys),
    (row: TombstoneRow) => row.key,
  ),
})

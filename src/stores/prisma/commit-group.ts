import type { WriteId } from '../../kernel/ids.ts'
import type { GroupWrites } from './group-writes.ts'

/** A group of commits, ready to be written. */
export interface CommitGroup {
  readonly writeId: WriteId
  /** How many commits the group has. */
  readonly members: number
  readonly writes: GroupWrites
}

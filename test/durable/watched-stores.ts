import { StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import { type CommitKind, kindsOf } from './commit-kind.ts'
import type { Attempt } from './journal.ts'

/** Where a process is killed: before or after the store has its so manieth commit of a kind. */
export interface Death {
  readonly kind: CommitKind
  readonly side: 'before' | 'after'
  readonly nth: number
}

interface Watch {
  readonly process: string
  readonly note: (attempt: Attempt) => void
  readonly death: Death | undefined
}

/** Stores that note what becomes of each commit, and kill this process at one of them. */
export function watchedStores(stores: Stores, { process: name, note, death }: Watch): Stores {
  let seen = 0
  const commit: Stores['unit']['commit'] = async (writeId, group) => {
    const isLast = death !== undefined && group.some((it) => kindsOf(it).has(death.kind)) && ++seen === death.nth
    if (isLast && death.side === 'before') return die()
    const tell = (outcome: Attempt['outcome']) => {
      for (const attempt of attemptsOf(group)) note({ ...attempt, process: name, at: Date.now(), outcome })
    }
    try {
      const committed = await stores.unit.commit(writeId, group)
      if (isLast) return await die()
      tell('committed')
      return committed
    } catch (error) {
      const failure = error instanceof StoreFailure ? error.failure : 'failed'
      tell(failure === 'fenced' || failure === 'conflict' ? failure : 'failed')
      throw error
    }
  }
  const { unit } = stores
  return {
    ...stores,
    unit: {
      commit,
      outcomeOf: (writeId) => unit.outcomeOf(writeId),
      forget: (before, limit) => unit.forget(before, limit),
    },
  }
}

const attemptsOf = (group: readonly Commit[]) =>
  group.flatMap(({ sessions }) =>
    sessions.map(({ row, expected: { revision, epoch } }) => ({ session: row.key, revision, epoch, nextEpoch: row.epoch })),
  )

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return new Promise<never>(() => undefined)
}

import type { SessionKey, WriteId } from '../../../src/kernel/ids.ts'
import type { FailureClass } from '../../../src/ports/stores/failure.ts'
import type { Commit } from '../../../src/ports/stores/unit-of-work.ts'
import { holds, same } from '../law-broken.ts'

interface Link {
  readonly revision: number
  readonly epoch: number
  readonly writeId: WriteId
}

/** Follows the revisions and epochs of each session from commit to commit: each is one link of one chain. */
export class Chains {
  readonly #links = new Map<SessionKey, Link>()
  readonly #committed = new Set<WriteId>()
  readonly #absent = new Set<WriteId>()

  committed(writeId: WriteId, group: readonly Commit[]): void {
    holds(!this.#committed.has(writeId), 'C8: nothing is committed twice', writeId)
    holds(!this.#absent.has(writeId), 'C8: what was declared absent is never committed', writeId)
    this.#committed.add(writeId)
    for (const { key, revision, epoch } of group.flatMap(({ created }) => created)) {
      holds(!this.#links.has(key), 'C18: no row key is given twice', key)
      this.#links.set(key, { revision, epoch, writeId })
    }
    for (const { row, expected } of group.flatMap(({ sessions }) => sessions)) {
      const { writeId: last, ...link } = this.#links.get(row.key) ?? { revision: -1, epoch: -1, writeId }
      const { revision, epoch } = expected
      same({ revision, epoch }, link, `C2: a commit follows the one that it expected; the last was ${last}, this is ${writeId}`)
      same(row.revision, link.revision + 1, 'C2: each commit raises the revision by one')
      holds([link.epoch, link.epoch + 1].includes(row.epoch), 'R7: an admission raises the epoch by one', link, row)
      this.#links.set(row.key, { revision: row.revision, epoch: row.epoch, writeId })
    }
  }

  failed(group: readonly Commit[], failure: FailureClass): void {
    const [only, ...others] = group.flatMap(({ sessions }) => sessions)
    const link = only && this.#links.get(only.row.key)
    if (!link || group.length > 1 || others.length > 0 || !['conflict', 'fenced'].includes(failure)) return
    const isOver = only.expected.epoch !== link.epoch
    same(failure === 'fenced', isOver, 'C3: a commit is fenced exactly when its epoch is over')
  }

  resolved(writeId: WriteId, outcome: 'committed' | 'absent'): void {
    same(outcome === 'committed', this.#committed.has(writeId), `C8: whoever asks gets the true outcome of ${writeId}`)
    if (outcome === 'absent') this.#absent.add(writeId)
  }
}

import { StoreFailure } from '../../ports/stores/failure.ts'
import type { Table } from './table.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * What a group does to the rows of one table, so that each row is written once: an update of a row that the group
 * inserts becomes part of the insert, and of several updates the last one counts, as each replaces all that can
 * change.
 */
export class RowSet {
  readonly table: Table
  readonly #inserts = new Map<string, Values>()
  readonly #updates = new Map<string, Values>()

  constructor(table: Table) {
    this.table = table
  }

  /**
   * In an order that depends on their keys alone, so that of two transactions with the same keys one waits, not both.
   */
  get inserts(): readonly Values[] {
    return [...this.#inserts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  }

  get updates(): readonly Values[] {
    return [...this.#updates.values()]
  }

  /** Fails with `conflict` when the group knows that the row exists. */
  insert(row: Values): void {
    const key = this.#keyOf(row)
    if (this.#inserts.has(key) || this.#updates.has(key)) {
      throw new StoreFailure('conflict', `The group inserts row ${key} of ${this.table.name}, which exists already.`)
    }
    this.#inserts.set(key, row)
  }

  update(row: Values): void {
    const key = this.#keyOf(row)
    const inserted = this.#inserts.get(key)
    if (inserted) this.#inserts.set(key, { ...inserted, ...this.#changeOf(row) })
    else this.#updates.set(key, row)
  }

  /** Takes back the inserts that match. */
  forget(matches: (row: Values) => boolean): void {
    for (const [key, row] of this.#inserts) if (matches(row)) this.#inserts.delete(key)
  }

  #keyOf(row: Values): string {
    return this.table.key.map((column) => row[column]).join(' ')
  }

  #changeOf(row: Values): Values {
    return Object.fromEntries(this.table.mutable.map((column) => [column, row[column]]))
  }
}

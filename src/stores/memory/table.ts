import { StoreFailure } from '../../ports/stores/failure.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Journal } from './journal.ts'

type Key = number | string

export interface TableShape<Row> {
  /** For messages to the operator. */
  readonly name: string
  /** The row key of what a row belongs to; rows are read by their owner. */
  readonly owner: (row: Row) => number
  /** Unique among the rows of its owner. */
  readonly key: (row: Row) => Key
  /** Each unique in the whole table. */
  readonly ids?: (row: Row) => readonly string[]
  /** Shared with other rows; rows are read by them as well. They never change. */
  readonly groups?: (row: Row) => readonly string[]
}

/**
 * Rows of one kind. Owns frozen copies, so nobody outside can change a row.
 * Keys and ids stay unique, and each change tells the journal how to undo it.
 */
export class Table<Row extends object> {
  readonly #shape: TableShape<Row>
  readonly #journal: Journal
  readonly #owners = new Map<number, Map<Key, Row>>()
  readonly #byId = new Map<string, Row>()
  readonly #groups = new Map<string, Map<string, Row>>()

  constructor(shape: TableShape<Row>, journal: Journal) {
    this.#shape = shape
    this.#journal = journal
  }

  get(owner: number, key: Key): Row | undefined {
    return this.#owners.get(owner)?.get(key)
  }

  byId(id: string): Row | undefined {
    return this.#byId.get(id)
  }

  /** The rows of an owner, in no particular order. */
  of(owner: number): readonly Row[] {
    return [...(this.#owners.get(owner)?.values() ?? [])]
  }

  /** The rows of a group, in no particular order. */
  in(group: string): readonly Row[] {
    return [...(this.#groups.get(group)?.values() ?? [])]
  }

  all(): readonly Row[] {
    return [...this.#owners.values()].flatMap((rows) => [...rows.values()])
  }

  /** Fails with `conflict` when the row, or another one with one of its ids, exists. */
  insert(row: Row): void {
    const taken = this.#existing(row) ?? this.#idsOf(row).find((id) => this.#byId.has(id))
    if (taken !== undefined) throw this.#conflict(row, 'exists already')
    this.#put(frozenCopy(row))
    this.#journal.record(() => this.#drop(row))
  }

  /** Fails with `conflict` when there is no such row. Ids never change. */
  update(row: Row): void {
    const before = this.#existing(row)
    if (before === undefined) throw this.#conflict(row, 'does not exist')
    this.#put(frozenCopy(row))
    this.#journal.record(() => this.#put(before))
  }

  remove(row: Row): void {
    const before = this.#existing(row)
    if (before === undefined) return
    this.#drop(before)
    this.#journal.record(() => this.#put(before))
  }

  #existing(row: Row): Row | undefined {
    return this.get(this.#shape.owner(row), this.#shape.key(row))
  }

  #idsOf(row: Row): readonly string[] {
    return this.#shape.ids?.(row) ?? []
  }

  #groupsOf(row: Row): readonly string[] {
    return this.#shape.groups?.(row) ?? []
  }

  #memberOf(row: Row): string {
    return `${this.#shape.owner(row)} ${this.#shape.key(row)}`
  }

  #put(row: Row): void {
    const owner = this.#shape.owner(row)
    const rows = this.#owners.get(owner) ?? new Map<Key, Row>()
    this.#owners.set(owner, rows.set(this.#shape.key(row), row))
    for (const id of this.#idsOf(row)) this.#byId.set(id, row)
    for (const group of this.#groupsOf(row)) {
      const members = this.#groups.get(group) ?? new Map<string, Row>()
      this.#groups.set(group, members.set(this.#memberOf(row), row))
    }
  }

  #drop(row: Row): void {
    this.#owners.get(this.#shape.owner(row))?.delete(this.#shape.key(row))
    for (const id of this.#idsOf(row)) this.#byId.delete(id)
    for (const group of this.#groupsOf(row)) this.#groups.get(group)?.delete(this.#memberOf(row))
  }

  #conflict(row: Row, what: string): StoreFailure {
    const { name, owner, key } = this.#shape
    return new StoreFailure('conflict', `The ${name} ${key(row)} of ${owner(row)} ${what}.`)
  }
}

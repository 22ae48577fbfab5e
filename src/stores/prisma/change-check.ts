import { createHash } from 'node:crypto'
import type { Database } from './database.ts'
import { sql } from './sql.ts'

const PROBE = 'change-check'
const LINES = 1024

/**
 * Whether a database takes changes. It is believed to until a commit fails that nothing it met explains: the disk may
 * be full, or the server read-only. From then on the database has to prove it, by keeping 64 KiB for a moment. So the
 * question costs a healthy database nothing, and small changes that still find room do not hide that large ones do not.
 */
export class ChangeCheck {
  readonly #database: Database
  #isDoubted = false
  #proof: Promise<boolean> | undefined

  constructor(database: Database) {
    this.#database = database
  }

  doubt(): void {
    this.#isDoubted = true
  }

  /** Never rejects. Those who ask at the same time share one proof. */
  async isPassed(): Promise<boolean> {
    if (!this.#isDoubted && !this.#proof) return true
    this.#proof ??= this.#prove().finally(() => {
      this.#proof = undefined
    })
    return this.#proof
  }

  /** The row is one that housekeeping forgets, should this process die between the two. */
  async #prove(): Promise<boolean> {
    this.#isDoubted = false
    try {
      await this.#database.change(sql`
        INSERT INTO "ClientRequest" ("scopeKey", "owner", "clientRequestId", "digest", "result", "createdAt")
        VALUES (-1, -1, ${PROBE}, '', ${incompressible()}, 0) ON CONFLICT DO NOTHING`)
      await this.#database.change(sql`
        DELETE FROM "ClientRequest" WHERE "owner" = -1 AND "scopeKey" = -1 AND "clientRequestId" = ${PROBE}`)
      return !this.#isDoubted
    } catch {
      this.#isDoubted = true
      return false
    }
  }
}

/** Text that a database cannot make smaller. */
const incompressible = (): string =>
  Array.from({ length: LINES }, (_, line) => createHash('sha256').update(String(line)).digest('hex')).join('')

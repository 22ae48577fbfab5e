import { existsSync, mkdirSync, realpathSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { DatabaseInUseError } from './database-in-use-error.ts'
import { databasePath, IN_MEMORY } from './database-path.ts'
import { isBusy } from './prisma-error.ts'

const BUSY_TIMEOUT_MS = 100 // so that of two that start at once one wins

// A lock that nobody refers to would be collected, and closed by that.
const held = new Set<DatabaseSync>()

/**
 * Makes this process the only server of a database file, until `release` or the end of the process, however it ends.
 * - The lock is SQLite's own exclusive lock, which the operating system takes back, on a tiny database `<file>.lock`.
 *   The database itself stays free for backup and diagnosis.
 * - That file is never deleted and is opened by SQLite alone: closing it by other means would drop the lock on POSIX.
 * - The holder's process id is its `user_version`, which a database opened as immutable shows in spite of the lock.
 */
export class FileLock {
  readonly #db: DatabaseSync

  private constructor(db: DatabaseSync) {
    this.#db = db
  }

  /**
   * Creates the folder of the file if need be. Throws `DatabaseInUseError` when another process, or this one, holds it.
   * Answers undefined for a database in memory, which nobody else can reach.
   */
  static acquire(url: string): FileLock | undefined {
    const file = databasePath(url)
    if (file === IN_MEMORY) return undefined
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true })
    const sidecar = `${existsSync(file) ? realpathSync(file) : path.resolve(file)}.lock`
    const db = new DatabaseSync(sidecar, { timeout: BUSY_TIMEOUT_MS })
    try {
      db.exec(`PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; PRAGMA user_version = ${process.pid}; COMMIT`)
      held.add(db)
      return new FileLock(db)
    } catch (error) {
      db.close()
      throw isBusy(error) ? new DatabaseInUseError(file, holderOf(sidecar)) : error
    }
  }

  /** Can be called again. */
  release(): void {
    if (held.delete(this.#db)) this.#db.close()
  }
}

/** Undefined also when the file cannot be read just now: that it is in use is known all the same. */
function holderOf(sidecar: string): number | undefined {
  const url = pathToFileURL(sidecar)
  url.search = '?immutable=1'
  try {
    using db = new DatabaseSync(url, { readOnly: true })
    const { user_version: pid } = db.prepare('PRAGMA user_version').get() as { user_version: number }
    return pid === 0 ? undefined : pid
  } catch {
    return undefined
  }
}

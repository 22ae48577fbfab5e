import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** A step from one shape of the database to the next, as it is checked in. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /** With LF and with CRLF line ends, because a checkout may change them. The first is what gets recorded. */
  readonly checksums: readonly [string, string]
}

/** The migrations of a folder, oldest first. Throws when it is not there or a migration has no `migration.sql`. */
export function readMigrations(folder: string): readonly Migration[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  return names.toSorted().map((name) => {
    const sql = readFileSync(path.join(folder, name, 'migration.sql'), 'utf8').replaceAll('\r\n', '\n')
    return { name, sql, checksums: [checksum(sql), checksum(sql.replaceAll('\n', '\r\n'))] }
  })
}

const checksum = (text: string): string => createHash('sha256').update(text).digest('hex')

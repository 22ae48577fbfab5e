import { describe, expect, test } from 'vitest'
import type { HistoryEntry } from './history-entry.ts'
import type { Migration } from './migration.ts'
import { pendingMigrations } from './pending-migrations.ts'

const migration = (name: string): Migration => ({ name, sql: '', checksums: [`${name}-lf`, `${name}-crlf`] })
const entry = (name: string, changes: Partial<HistoryEntry> = {}): HistoryEntry => ({
  name,
  checksum: `${name}-lf`,
  isFinished: true,
  isRolledBack: false,
  ...changes,
})
const migrations = ['1_init', '2_more', '3_last'].map(migration)
const pending = (...history: HistoryEntry[]) => pendingMigrations(migrations, history).map(({ name }) => name)

describe('pending migrations', () => {
  test('are all of them at first and none in the end', () => {
    expect(pending()).toEqual(['1_init', '2_more', '3_last'])
    expect(pending(entry('1_init'))).toEqual(['2_more', '3_last'])
    expect(pending(entry('1_init'), entry('2_more'), entry('3_last'))).toEqual([])
  })

  test('are also older ones that come from another branch', () => {
    expect(pending(entry('1_init'), entry('3_last'))).toEqual(['2_more'])
  })

  test('are those that were rolled back, whatever is recorded of them', () => {
    const rolledBack = entry('2_more', { isFinished: false, isRolledBack: true, checksum: 'other' })
    expect(pending(entry('1_init'), rolledBack)).toEqual(['2_more', '3_last'])
    expect(pending(entry('1_init'), rolledBack, entry('2_more'))).toEqual(['3_last'])
    expect(pending(entry('0_gone', { isFinished: false, isRolledBack: true }))).toHaveLength(3)
  })

  test('do not depend on how lines end', () => {
    expect(pending(entry('1_init', { checksum: '1_init-crlf' }))).toEqual(['2_more', '3_last'])
  })

  test.each([
    ['EDITED', '1_init', entry('1_init', { checksum: 'other' })],
    ['FAILED', '2_more', entry('2_more', { isFinished: false })],
    ['NEWER', '4_newer', entry('4_newer')],
  ])('cannot be told from a history that is %s', (problem, name, wrong) => {
    const attempt = () => pending(entry('1_init'), wrong)
    expect(attempt).toThrow(expect.objectContaining({ name: 'MigrationError', problem, migration: name }))
    expect(attempt).toThrow(name)
  })
})

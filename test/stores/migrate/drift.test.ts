import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { missingSql, prismaFolder } from '../../../scripts/migrate/missing-sql.ts'
import type { Provider } from '../../../src/stores/prisma/migrate/migrations-folder.ts'

describe.each<Provider>(['sqlite', 'postgresql'])('the migrations for %s', (provider) => {
  let folder: string

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'flexharness-prisma-'))
    cpSync(prismaFolder, folder, { recursive: true })
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  test('lack a model that is added', { timeout: 120_000 }, async () => {
    appendFileSync(path.join(folder, 'models.prisma'), 'model Extra {\n  id Int @id\n  scope String @unique\n}\n')
    const sql = await missingSql(provider, folder)
    expect(sql).toContain('CREATE TABLE "Extra"')
    expect(sql).toContain('CREATE UNIQUE INDEX "Extra_scope_key"')
    expect(sql).not.toContain('"Session"') // the rest is there
  })
})

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildSchema } from 'graphql'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { printedSchema } from '../../scripts/schema/printed-schema.ts'
import { releasedSchema } from '../../scripts/schema/released-schema.ts'
import { unlistedBreakingChanges } from '../../scripts/schema/unlisted-breaking-changes.ts'

describe('the printed schema', () => {
  test('is sorted and ends with a line break', () => {
    const schema = buildSchema('type Query { b: Int a(z: Int, y: Int): Int }')
    expect(printedSchema(schema)).toBe('type Query {\n  a(y: Int, z: Int): Int\n  b: Int\n}\n')
  })
})

describe('breaking changes', () => {
  const before = 'type Query { a: Int b: Int }'

  test('a removed field is found and named', async () => {
    const found = await unlistedBreakingChanges(before, 'type Query { a: Int }', '')
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/^`FIELD_REMOVED Query\.b`: /)
  })

  test('a listed change is owned up to, another one is not', async () => {
    const list = '- `FIELD_REMOVED Query.b`: nobody asked for it.'
    expect(await unlistedBreakingChanges(before, 'type Query { a: Int }', list)).toEqual([])
    expect(await unlistedBreakingChanges(before, 'type Query { b: Int }', list)).toHaveLength(1)
  })

  test('an added field breaks nobody', async () => {
    expect(await unlistedBreakingChanges(before, 'type Query { a: Int b: Int c: Int }', '')).toEqual([])
  })
})

describe('the released schema', () => {
  let directory: string
  const git = (...command: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...command], {
      cwd: directory,
      encoding: 'utf8',
    }).trim()
  const commit = (sdl: string): string => {
    writeFileSync(join(directory, 'schema.graphql'), sdl)
    git('add', 'schema.graphql')
    git('commit', '--quiet', '--message', sdl)
    return git('rev-parse', 'HEAD')
  }

  beforeEach(() => {
    // In a git hook, git's own variables would lead to the repository of the hook.
    for (const name of Object.keys(process.env)) if (name.startsWith('GIT_')) vi.stubEnv(name, undefined)
    directory = mkdtempSync(join(tmpdir(), 'released-schema-'))
    git('init', '--quiet', '--initial-branch', 'main')
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(directory, { recursive: true, force: true })
  })

  test('there is none without an earlier commit', () => {
    expect(releasedSchema(directory)).toBeUndefined()
    commit('one')
    expect(releasedSchema(directory)).toBeUndefined()
  })

  test('without a remote it is the one of the commit before', () => {
    const one = commit('one')
    commit('two')
    expect(releasedSchema(directory)).toEqual({ commit: one, sdl: 'one' })
  })

  test('on a branch it is the one where the branch left origin/main', () => {
    const one = commit('one')
    git('update-ref', 'refs/remotes/origin/main', one)
    commit('two')
    commit('three')
    expect(releasedSchema(directory)).toEqual({ commit: one, sdl: 'one' })
  })

  test('on origin/main itself it is the one of the commit before', () => {
    const one = commit('one')
    git('update-ref', 'refs/remotes/origin/main', commit('two'))
    expect(releasedSchema(directory)).toEqual({ commit: one, sdl: 'one' })
  })
})

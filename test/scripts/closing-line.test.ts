import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const REPORTER = join(ROOT, 'test/support/closing-line-reporter.ts')
const CONFIG = `
  import { ClosingLineReporter } from '${REPORTER}'
  export default { test: { reporters: ['default', new ClosingLineReporter()] } }
`

describe('the closing line', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'closing-line-'))
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
    writeFileSync(join(directory, 'vitest.config.ts'), CONFIG)
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const run = (files: Readonly<Record<string, string>>) => {
    for (const [name, tests] of Object.entries(files)) {
      const imports = "import { beforeAll, describe, expect, test } from 'vitest'"
      writeFileSync(join(directory, name), `${imports}\n${tests}`)
    }
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const { status, stdout } = spawnSync(process.execPath, [vitest, 'run'], { cwd: directory, encoding: 'utf8' })
    return { status, lines: stdout.trimEnd().split('\n') }
  }

  test('is the last one, below every group of skipped tests with the reason', () => {
    const { status, lines } = run({
      'a.test.ts': `
        describe('on a database', () => {
          for (const title of ['a', 'b']) test(title, ({ skip }) => skip('there is none'))
          test.skip('c', () => {})
        })
        test.todo('d')
        test('e', () => {})
      `,
    })
    expect(lines.slice(-4)).toEqual([
      'SKIPPED 2 in a.test.ts > on a database: there is none',
      'SKIPPED 1 in a.test.ts > on a database',
      'SKIPPED 1 in a.test.ts',
      '1 passed, 0 failed, 4 skipped',
    ])
    expect(status).toBe(0)
  })

  test('counts as failed a test, a module, a hook and an error outside', () => {
    const { status, lines } = run({
      'failing.test.ts': "test('a', () => { expect(1).toBe(2) }); test('b', () => {})",
      'module.test.ts': "throw new Error('broken')",
      'hook.test.ts': "beforeAll(() => { throw new Error('broken') }); test('c', () => {})",
      'outside.test.ts': "test('d', () => { void Promise.reject(new Error('broken')) })",
    })
    expect(lines.at(-1)).toBe('2 passed, 4 failed, 1 skipped')
    expect(status).toBe(1)
  })
})

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { disagreements } from '../../scripts/laws/disagreements.ts'
import { lawTests } from '../../scripts/laws/law-tests.ts'
import { parseLaws } from '../../scripts/laws/parse-laws.ts'

const SCRIPT = join(import.meta.dirname, '../../scripts/laws.ts')

describe('the list of laws', () => {
  test('an item has an id, a text and files, and may go on in the next line', () => {
    const item = ['- **R1** A run settles', '  exactly once. (`test/a.test.ts`,', '  `src/b.test.ts`)']
    const { laws, problems } = parseLaws(['## Runs (R)', '', ...item, ''].join('\n'))
    const files = ['test/a.test.ts', 'src/b.test.ts']
    expect(problems).toEqual([])
    expect(laws).toEqual([{ id: 'R1', text: 'A run settles exactly once.', files }])
  })

  test('items outside an area are prose', () => {
    expect(parseLaws('# Laws\n- **R1** no law\n## Notes\n- another')).toEqual({ laws: [], problems: [] })
  })

  test.each([
    ['an item without an id', '- A run settles. (`test/a.ts`)', 'Not a law: - A run settles. (`test/a.ts`)'],
    ['an id of another shape', '- **r1** A run. (`test/a.ts`)', 'r1: an id is one capital letter and a number.'],
    ['an id of another area', '- **Q1** A run settles. (`test/a.ts`)', 'Q1: stands in the area R.'],
    ['no text', '- **R1** (`test/a.ts`)', 'R1: says nothing.'],
    ['no file', '- **R1** A run settles.', 'R1: names no test file.'],
    ['an id twice', '- **R1** A. (`test/a.ts`)\n- **R1** B. (`test/a.ts`)', 'R1: stands there twice.'],
  ])('%s is a problem', (_, item, problem) => {
    expect(parseLaws(`## Runs (R)\n${item}\n`).problems).toEqual([problem])
  })
})

describe('the titles of tests', () => {
  const idsIn = (source: string): readonly (readonly string[])[] => lawTests('a.ts', source).map(({ ids }) => ids)

  test('begin with one id or several', () => {
    expect(idsIn("test('R1: x', f); it('R1, Q12: x', f); test('C3 says', f)")).toEqual([['R1'], ['R1', 'Q12'], ['C3']])
  })

  test('are found in templates, tables and conditions, and in functions', () => {
    const source = [
      'export function suite(name: string): void {',
      '  using _held = hold()',
      '  describe(name, () => {',
      '    test(`C1: on ${name}`, f)',
      "    test.each([[1, g(2)]] as const)('C2: %s', f)",
      "    test.skipIf(!reachable())('C3: x', f)",
      "    it.concurrent('C4: x', f)",
      '  })',
      '}',
    ]
    expect(idsIn(source.join('\n'))).toEqual([['C1'], ['C2'], ['C3'], ['C4']])
  })

  test('of other calls, comments and strings do not count', () => {
    const source = ["// test('R1: x', f)", "describe('R1: x', f)", "regex.test('R1: x')", "f(`test('R1: x')`)"]
    expect(idsIn(source.join('\n'))).toEqual([])
  })

  test('without an id at the beginning carry none', () => {
    expect(idsIn("test('says R1: x', f); test('Run: x', f); test('R1x: y', f); test(title, f)")).toEqual([])
  })

  test('of tests that do not run or must fail enforce nothing', () => {
    const chains = ["test.skip('R1: x', f)", "it.todo('R1: x')", "test.fails('R1: x', f)"]
    expect(idsIn([...chains, "test.skip.each(t)('R1: x', f)"].join('\n'))).toEqual([])
  })
})

describe('laws and tests', () => {
  const law = { id: 'R1', text: 'A run settles exactly once.', files: ['a.test.ts', 'b.test.ts'] }
  const inFile = (file: string, ...ids: readonly string[]) => ({ file, title: `${ids.join(', ')}: x`, ids })

  test('agree when every file that a law names has a test for it', () => {
    const tests = ['a.test.ts', 'b.test.ts', 'c.test.ts'].map((file) => inFile(file, 'R1'))
    expect(disagreements([law], tests)).toEqual([])
  })

  test('disagree when a named file has none', () => {
    expect(disagreements([law], [inFile('a.test.ts', 'R1'), inFile('c.test.ts', 'R1')])).toEqual([
      'R1: no test in b.test.ts has a title that begins with it.',
    ])
  })

  test('disagree when a title names no law', () => {
    const tests = [inFile('a.test.ts', 'R1', 'R2'), inFile('b.test.ts', 'R1')]
    expect(disagreements([law], tests)).toEqual(['R2: is no law, but a.test.ts has a test «R1, R2: x».'])
  })
})

describe('the command', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'laws-'))
    for (const folder of ['docs', 'src', 'test']) mkdirSync(join(directory, folder))
    writeFileSync(join(directory, 'docs/LAWS.md'), '## Runs (R)\n\n- **R1** A run settles. (`src/a.test.ts`)\n')
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const run = () => spawnSync(process.execPath, [SCRIPT], { cwd: directory, encoding: 'utf8' })

  test('succeeds when both agree', () => {
    writeFileSync(join(directory, 'src/a.test.ts'), "test('R1: x', () => {})")
    writeFileSync(join(directory, 'test/suite.ts'), "test('R1: y', () => {})")
    const { status, stdout } = run()
    expect(stdout).toBe('1 laws and the 2 tests that name them agree.\n')
    expect(status).toBe(0)
  })

  test('fails with the list when they do not', () => {
    writeFileSync(join(directory, 'test/suite.ts'), "test('R2: y', () => {})")
    const { status, stderr } = run()
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'R1: no test in src/a.test.ts has a title that begins with it.',
      'R2: is no law, but test/suite.ts has a test «R2: y».',
    ])
    expect(status).toBe(1)
  })
})

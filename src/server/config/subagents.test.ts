import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checkedDefinitions } from '../../domain/delegation/checked-definitions.ts'
import { readConfig } from '../config.ts'
import { defaultSubagents } from './default-subagents.ts'
import { printedConfig } from './printed-config.ts'

const folder = mkdtempSync(join(tmpdir(), 'subagents-'))
afterAll(() => rmSync(folder, { recursive: true }))

const file = join(folder, 'subagents.json')
const reading = (content: string) => {
  writeFileSync(file, content)
  return readConfig({ HARNESS_SUBAGENTS: file })
}

/** One line each, without the name of the file. */
const problemsOf = (content: string) => {
  const read = reading(content)
  return read.ok ? [] : read.problems.map((line) => line.replace(`, got ${JSON.stringify(file.slice(0, 100))}`, ''))
}

test('G104: without a setting there are a researcher and a writer, two levels deep', () => {
  const read = readConfig({})
  expect(read).toMatchObject({ ok: true, config: { subagents: { definitions: defaultSubagents }, maxSubagentDepth: 2 } })
  expect(defaultSubagents.map(({ name }) => name)).toEqual(['researcher', 'writer'])
  expect(checkedDefinitions(defaultSubagents)).toEqual({ ok: true, definitions: defaultSubagents })
})

test('G104: a file says which there are, maybe none', () => {
  const read = reading('[{ "name": "critic", "description": "Finds fault.", "maxSteps": 3, "tools": [] }]')
  if (!read.ok) throw new Error(read.problems.join('\n'))
  const { subagents } = read.config
  expect(subagents).toEqual({ file, definitions: [{ name: 'critic', description: 'Finds fault.', maxSteps: 3, tools: [] }] })
  expect(printedConfig(read.config)).toContain(`\nHARNESS_SUBAGENTS=${file}\nHARNESS_SUBAGENT_DEPTH=2\n`)
  expect(reading('[]')).toMatchObject({ config: { subagents: { definitions: [] } } })
})

test('G104: what is wrong with it is told line by line', () => {
  expect(problemsOf('[{ "name": "", "description": "x", "model": "y" }]')).toEqual([
    'HARNESS_SUBAGENTS: subagents.0.model is unknown; there are name, description, modelHint, system, maxSteps, budget, tools',
    'HARNESS_SUBAGENTS: subagents.0.name must not be empty or blank',
  ])
  expect(problemsOf('{')).toEqual([expect.stringMatching(/^HARNESS_SUBAGENTS: must be a file of JSON: .+/)])
  const missing = readConfig({ HARNESS_SUBAGENTS: join(folder, 'missing.json') })
  expect(missing).toMatchObject({ problems: [expect.stringMatching(/^HARNESS_SUBAGENTS: must be a file that can be read: ENOENT/)] })
})

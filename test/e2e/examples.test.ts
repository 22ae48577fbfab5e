import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/server-process.ts'

/** What an example says, line by line. */
function saidBy(name: string): readonly string[] {
  using folder = scratchFolder()
  const file = new URL(`../../examples/${name}`, import.meta.url).pathname
  const args = ['--conditions=flexharness-source', file]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return stdout.trimEnd().split('\n')
}

test('the example of an application with a tool of its own does what it says', () => {
  expect(saidBy('own-tool.ts')).toEqual([
    'to grace@example.com: this needs no permission',
    'the run ended: COMPLETED',
    'asked: Call the tool send_mail',
    'to grace@example.org: this does',
    'the run ended: COMPLETED',
  ])
}, 180_000)

test('the example of an application with subagents of its own does what it says', () => {
  expect(saidBy('own-subagents.ts')).toEqual([
    'level 1: editor begins',
    'asked: Delegate to the subagent author: count to 3',
    'level 2: author begins',
    'an answer: 1 2 3',
    'an answer: The subagent author answered: 1 2 3',
    'the answer: The subagent editor answered: The subagent author answered: 1 2 3',
    'sessions below the first one: 2',
  ])
}, 180_000)

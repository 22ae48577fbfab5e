import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { scratchFolder } from '../support/server-process.ts'

const EXAMPLE = new URL('../../examples/own-tool.ts', import.meta.url).pathname

test('the example of an application with a tool of its own does what it says', () => {
  using folder = scratchFolder()
  const args = ['--conditions=flexharness-source', EXAMPLE]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    'to grace@example.com: this needs no permission',
    'the run ended: COMPLETED',
    'asked: Call the tool send_mail',
    'to grace@example.org: this does',
    'the run ended: COMPLETED',
  ])
}, 180_000)

import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { runServer, scratchFolder } from '../support/server-process.ts'

test('--help tells the settings and ends well', async () => {
  using folder = scratchFolder()
  const { code, stdout, stderr } = await runServer({ folder: folder.path, args: ['--help'] })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toContain('HARNESS_MODEL')
}, 180_000)

test('--print-config masks secrets', async () => {
  using folder = scratchFolder()
  const env = { OPENAI_API_KEY: 'sk-secret', HARNESS_MODEL: 'openai:gpt-5' }
  const { code, stdout } = await runServer({ folder: folder.path, args: ['--print-config'], env })
  expect(code).toBe(0)
  expect(stdout).toContain('HARNESS_MODEL=openai:gpt-5')
  expect(stdout).toContain('OPENAI_API_KEY=***')
  expect(stdout).not.toContain('sk-secret')
}, 180_000)

test('an unknown option stops the start', async () => {
  using folder = scratchFolder()
  const { code, stderr } = await runServer({ folder: folder.path, args: ['--daemon'] })
  expect(code).toBe(1)
  expect(stderr).toContain("Unknown option '--daemon'")
}, 180_000)

test('V3: every wrong setting is one line, and the start stops', async () => {
  using folder = scratchFolder()
  const env = { PORT: 'abc', HOST: '0.0.0.0', HARNESS_MODEL: 'gpt' }
  const { code, stdout, stderr } = await runServer({ folder: folder.path, env })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  const lines = stderr.trimEnd().split('\n')
  expect(lines.map((line) => line.split(' ', 1)[0])).toEqual(['PORT:', 'HOST:', 'HARNESS_MODEL:'])
}, 180_000)

test('V3: an address that is taken is one line, and no run was touched', async () => {
  using folder = scratchFolder()
  await using server = createServer()
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const port = String((server.address() as AddressInfo).port)
  const { code, stdout, stderr } = await runServer({ folder: folder.path, env: { PORT: port, LOG_LEVEL: 'silent' } })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`PORT: ${port} of 127.0.0.1 is in use by another process; 0 takes any free one.\n`)
}, 180_000)

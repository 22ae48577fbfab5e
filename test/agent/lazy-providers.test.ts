import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('loaded-packages.ts', import.meta.url))

test('G20: a provider’s package is loaded when its first model is resolved, and not before', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [script])
  const { start, ...loaded } = JSON.parse(stdout) as Readonly<Record<string, readonly string[]>>
  // What speaks to providers at all is there from the start, the gateway with it.
  expect(start).toEqual(expect.arrayContaining(['ai', '@ai-sdk/gateway', '@ai-sdk/provider-utils']))
  for (const vendor of ['openai', 'anthropic', 'google', 'openai-compatible']) {
    expect(start).not.toContain(`@ai-sdk/${vendor}`)
  }
  expect(start).not.toContain('undici')
  expect(loaded).toEqual({
    keyless: [],
    offline: [],
    anthropic: ['@ai-sdk/anthropic'],
    google: ['@ai-sdk/google'],
    gateway: [],
    openai: ['@ai-sdk/openai'],
    local: ['@ai-sdk/openai-compatible'],
    again: [],
  })
})

/* Started as a process of its own: prints, as JSON, which packages were loaded by what. */
import { registerHooks } from 'node:module'
import type { ModelRequest } from '../../src/ports/model-request.ts'

const seen = new Set<string>()
registerHooks({
  load(url, context, next) {
    const name = /.*\/node_modules\/(?<name>(?:@[^/]+\/)?[^/]+)/.exec(url)?.groups?.['name']
    if (name !== undefined) seen.add(name)
    return next(url, context)
  },
})

async function loadedBy(act: () => unknown): Promise<readonly string[]> {
  const before = new Set(seen)
  await act()
  return [...seen].filter((name) => !before.has(name)).toSorted()
}

const { modelRegistry } = await import('../../src/agent/registry.ts')
const { systemClock } = await import('../../src/runtime/system-clock.ts')

const apiKey = 'key'
const local = { type: 'openai-compatible', baseURL: 'http://127.0.0.1:9/v1' } as const
const models = modelRegistry(
  {
    default: 'openai:gpt',
    providers: {
      openai: { type: 'openai', apiKey },
      anthropic: { type: 'anthropic', apiKey },
      google: { type: 'google', apiKey },
      gateway: { type: 'gateway', apiKey },
      local,
      keyless: { type: 'openai' },
    },
  },
  systemClock,
)

const { signal } = new AbortController()
const resolving = (modelHint: string) => () => models.resolve({ modelHint, signal } as ModelRequest)

const report = {
  start: [...seen].toSorted(),
  keyless: await loadedBy(() => resolving('keyless:gpt')().catch(() => undefined)),
  offline: await loadedBy(resolving('offline:offline')),
  anthropic: await loadedBy(resolving('anthropic:claude')),
  google: await loadedBy(resolving('google:gemini')),
  gateway: await loadedBy(resolving('gateway:openai/gpt')),
  openai: await loadedBy(resolving('openai:gpt')),
  local: await loadedBy(resolving('local:llama')),
  again: await loadedBy(resolving('anthropic:claude-2')),
}
process.stdout.write(JSON.stringify(report))

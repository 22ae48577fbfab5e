import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** A project of small files, cruised once with the real rules. Its packages are empty: what counts is their names. */
const PACKAGES = [
  'ai', '@ai-sdk/provider', '@prisma/client', 'pg', 'graphql', 'graphql-yoga', '@pothos/core',
  'dataloader', 'ws', 'pino', 'zod',
]
const DEV_PACKAGES = ['vitest']
const UNDECLARED_PACKAGES = ['left-pad']

const LOADED_INSIDE = "using held = hold(import('../domain/run/leaf.ts'))"

const FORBIDDEN: readonly (readonly [rule: string, file: string, code: string])[] = [
  ['layer-kernel', 'src/kernel/a.ts', "import '../domain/run/leaf.ts'"],
  ['layer-kernel', 'src/kernel/b.ts', "import type { X } from '../domain/run/leaf.ts'"],
  ['layer-kernel', 'src/kernel/c.ts', "export type { X } from '../domain/run/leaf.ts'"],
  ['layer-kernel', 'src/kernel/d.ts', "export const load = () => import('../domain/run/leaf.ts')"],
  ['layer-kernel', 'src/kernel/e.ts', `export function f() { ${LOADED_INSIDE}; return held }`],
  ['layer-domain', 'src/domain/run/a.ts', "import type { X } from '../../ports/leaf.ts'"],
  ['layer-ports', 'src/ports/a.ts', "import type { X } from '../runtime/harness.ts'"],
  ['layer-runtime', 'src/runtime/a.ts', "import type { X } from '../stores/memory/leaf.ts'"],
  ['layer-runtime', 'src/runtime/b.ts', "import type { X } from '../agent/leaf.ts'"],
  ['layer-agent', 'src/agent/a.ts', "import type { X } from '../runtime/harness.ts'"],
  ['layer-stores', 'src/stores/memory/a.ts', "import type { X } from '../../runtime/harness.ts'"],
  ['layer-events', 'src/events/a.ts', "import type { X } from '../stores/memory/leaf.ts'"],
  ['layer-graphql', 'src/graphql/a.ts', "import type { X } from '../events/leaf.ts'"],
  ['layer-graphql', 'src/graphql/b.ts', "import type { X } from '../server/leaf.ts'"],
  ['closed-kernel', 'src/kernel/f.ts', "import { readFileSync } from 'node:fs'"],
  ['closed-kernel', 'src/kernel/g.ts', "import type { X } from 'zod'"],
  ['closed-domain', 'src/domain/run/b.ts', "import { createHash } from 'node:crypto'"],
  ['closed-domain', 'src/domain/run/c.ts', "import { z } from 'zod'"],
  ['closed-ports', 'src/ports/b.ts', "import type { Readable } from 'node:stream'"],
  ['closed-runtime', 'src/runtime/c.ts', "import { connect } from 'node:net'"],
  ['closed-runtime', 'src/runtime/d.ts', "import { z } from 'zod'"],
  ['closed-events', 'src/events/b.ts', "import { connect } from 'node:net'"],
  ['only-ai', 'src/server/a.ts', "import { streamText } from 'ai'"],
  ['only-ai', 'src/server/b.ts', "import type { X } from '@ai-sdk/provider'"],
  ['only-prisma', 'src/server/c.ts', "import type { X } from '@prisma/client'"],
  ['only-prisma', 'src/stores/memory/b.ts', "import { Pool } from 'pg'"],
  ['only-prisma', 'src/server/d.ts', "import { DatabaseSync } from 'node:sqlite'"],
  ['only-pothos', 'src/server/e.ts', "import type { X } from '@pothos/core'"],
  ['only-pothos', 'src/stores/prisma/a.ts', "import Loader from 'dataloader'"],
  ['only-graphql', 'src/agent/b.ts', "import type { X } from 'graphql'"],
  ['only-graphql', 'src/agent/c.ts', "import { createYoga } from 'graphql-yoga'"],
  ['only-server', 'src/graphql/c.ts', "import { WebSocketServer } from 'ws'"],
  ['only-server', 'src/graphql/d.ts', "import type { X } from 'pino'"],
  ['graphql-sees-the-facade', 'src/graphql/e.ts', "import type { X } from '../runtime/leaf.ts'"],
  ['graphql-sees-the-facade', 'src/graphql/h.ts', "import type { X } from '../ports/leaf.ts'"],
  ['graphql-knows-types-of-the-facade', 'src/graphql/f.ts', "import { x } from '../runtime/harness.ts'"],
  ['graphql-decides-nothing', 'src/graphql/g.ts', "import type { X } from '../domain/run/decider.ts'"],
  ['stores-are-alternatives', 'src/stores/prisma/b.ts', "import type { X } from '../memory/leaf.ts'"],
  ['entries-are-not-imported', 'src/server/f.ts', "import './main.ts'"],
  ['index-stays-outside', 'src/server/g.ts', "import type { X } from '../index.ts'"],
  ['no-tests-in-the-library', 'src/server/h.ts', "import { x } from '../../test/support.ts'"],
  ['no-tests-in-the-library', 'src/server/i.ts', "import { x } from '../kernel/own.test.ts'"],
  ['no-dev-dependencies-in-the-library', 'src/server/j.ts', "import { vi } from 'vitest'"],
  ['no-undeclared-packages', 'src/server/k.ts', "import pad from 'left-pad'"],
  ['no-unresolvable', 'src/server/l.ts', "import { x } from './nowhere.ts'"],
  ['no-cycles', 'src/runtime/ring-two.ts', "import type { X } from './ring.ts'"],
  ['no-orphans', 'src/server/alone.ts', 'export const x = 1'],
]

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/leaf.ts': ["import { createHash } from 'node:crypto'", 'export type X = 1'],
  'src/kernel/own.test.ts': ["import 'vitest'", "import '../../test/support.ts'", "import './leaf.ts'"],
  'src/domain/run/leaf.ts': ["import type { X } from '../../kernel/leaf.ts'"],
  'src/domain/run/decider.ts': ["import type { X } from './leaf.ts'"],
  'src/ports/leaf.ts': ["import type { X } from '../domain/run/leaf.ts'"],
  'src/ports/subscriptions.ts': ["import type { X } from './leaf.ts'"],
  'src/runtime/leaf.ts': ["import type { X } from '../ports/leaf.ts'", "import '../domain/run/decider.ts'"],
  'src/runtime/harness.ts': ["import './leaf.ts'", "import { setTimeout } from 'node:timers'"],
  'src/runtime/ring.ts': ["import type { X } from './ring-two.ts'"],
  'src/agent/leaf.ts': ["import type { X } from '../ports/leaf.ts'", "import 'ai'", "import '@ai-sdk/provider'"],
  'src/stores/memory/leaf.ts': ["import type { X } from '../../ports/leaf.ts'"],
  'src/stores/prisma/leaf.ts': ["import 'pg'", "import '@prisma/client'", "import 'node:sqlite'"],
  'src/events/leaf.ts': ["import type { X } from '../ports/leaf.ts'"],
  'src/graphql/leaf.ts': [
    "import type { X } from '../runtime/harness.ts'",
    "import { CursorExpired } from '../ports/subscriptions.ts'",
    "import '../domain/run/leaf.ts'",
    "import '@pothos/core'",
    "import 'graphql'",
    "import 'zod'",
  ],
  'src/server/leaf.ts': [
    "import '../runtime/harness.ts'",
    "import '../stores/prisma/leaf.ts'",
    "import '../agent/leaf.ts'",
    "import 'ws'",
    "import 'pino'",
    "import 'graphql-yoga'",
  ],
  'src/server/main.ts': ["import './leaf.ts'"],
  'src/index.ts': ["export { x } from './server/leaf.ts'", "export type { X } from './events/leaf.ts'"],
  'test/support.ts': ["import '../src/runtime/leaf.ts'"],
}

interface Cruise {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[]
  }
}

describe('the dependency rules', () => {
  let directory: string
  const spoken = new Map<string, readonly string[]>()

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'dependency-rules-'))
    const put = (file: string, text: string): void => {
      mkdirSync(join(directory, dirname(file)), { recursive: true })
      writeFileSync(join(directory, file), text)
    }
    const versions = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1.0.0']))
    put('package.json', JSON.stringify({ dependencies: versions(PACKAGES), devDependencies: versions(DEV_PACKAGES) }))
    for (const name of [...PACKAGES, ...DEV_PACKAGES, ...UNDECLARED_PACKAGES]) {
      put(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
      put(`node_modules/${name}/index.js`, '')
    }
    for (const [file, code] of Object.entries(ALLOWED)) put(file, code.join('\n'))
    for (const [, file, code] of FORBIDDEN) put(file, code)
    const bin = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
    const config = join(ROOT, '.dependency-cruiser.mjs')
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [bin, '--config', config, '--output-type', 'json', 'src', 'test'],
      { cwd: directory, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    if (stderr !== '') throw new Error(stderr)
    for (const { from, rule } of (JSON.parse(stdout) as Cruise).summary.violations) {
      spoken.set(from, [...(spoken.get(from) ?? []), rule.name])
    }
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test.each(FORBIDDEN)('%s: %s must not say %s', (rule, file) => {
    expect(spoken.get(file)).toContain(rule)
  })

  test('what is allowed breaks none', () => {
    expect(Object.keys(ALLOWED).filter((file) => spoken.has(file))).toEqual([])
  })

  test('every rule is broken here', async () => {
    const module: unknown = await import(join(ROOT, '.dependency-cruiser.mjs'))
    const { default: config } = module as { default: { forbidden: readonly { name: string }[] } }
    const broken = new Set(FORBIDDEN.map(([rule]) => rule))
    expect(config.forbidden.map(({ name }) => name).filter((name) => !broken.has(name))).toEqual([])
  })
})

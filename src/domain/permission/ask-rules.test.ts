import { expect, test } from 'vitest'
import { askIssue } from './ask-rules.ts'
import type { PermissionAsk } from './permission.ts'

const ask: PermissionAsk = { kind: 'tool', description: 'May it?' }

const bytes = (count: number): string => '€'.repeat(Math.floor(count / 3)) + 'a'.repeat(count % 3)

test.each<[Partial<Record<keyof PermissionAsk, unknown>>, string | undefined]>([
  [{}, undefined],
  [{ toolCallId: 'call', rememberKey: 'write', metadata: { path: 'a' } }, undefined],
  [{ kind: bytes(128), rememberKey: bytes(512) }, undefined],
  [{ description: bytes(100_000), toolCallId: bytes(100_000) }, undefined],
  [{ kind: bytes(129) }, 'kind must have at most 128 UTF-8 bytes'],
  [{ rememberKey: bytes(513) }, 'rememberKey must have at most 512 UTF-8 bytes'],
  [{ kind: ' ' }, 'kind must not be blank'],
  [{ description: '' }, 'description must not be blank'],
  [{ rememberKey: '\n' }, 'rememberKey must not be blank'],
  [{ toolCallId: '' }, 'toolCallId must not be blank'],
  [{ kind: undefined }, 'kind must be text'],
  [{ description: 7 }, 'description must be text'],
  [{ rememberKey: null }, 'rememberKey must be text'],
  [{ toolCallId: {} }, 'toolCallId must be text'],
])('X29: what is wrong with a request of the application, which may be JavaScript: %j', (fields, issue) => {
  expect(askIssue({ ...ask, ...fields } as PermissionAsk)).toBe(issue)
})

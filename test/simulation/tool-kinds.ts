import type { PolicyRule } from '../../src/domain/permission/policy.ts'

interface Kind {
  readonly readOnly: boolean
  readonly idempotent: boolean
}

const once: Kind = { readOnly: false, idempotent: false }
const repeatable: Kind = { readOnly: false, idempotent: true }

/** `burn` and `put` are asked for, `seal` is denied, the others are allowed. */
export const toolKinds: Readonly<Record<string, Kind>> = {
  burn: once,
  write: once,
  put: repeatable,
  keep: repeatable,
  look: { readOnly: true, idempotent: true },
  seal: once,
}

export const toolPolicies: readonly PolicyRule[] = [
  { tool: 'write', effect: 'allow' },
  { tool: 'keep', effect: 'allow' },
  { tool: 'seal', effect: 'deny', message: 'It stays open.' },
]

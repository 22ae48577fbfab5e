import { checkedDefinitions } from '../domain/delegation/checked-definitions.ts'
import type { SubagentDefinition } from '../domain/delegation/definition.ts'
import { defaultLimits, type Limits } from '../domain/limits.ts'
import type { ModelResolver } from '../ports/model.ts'
import { checkedLimits } from './checked-limits.ts'
import type { HarnessInfo } from './harness.ts'

interface Settings {
  readonly version: string
  readonly models: ModelResolver
  readonly subagents?: readonly SubagentDefinition[]
  readonly limits?: Partial<Limits>
}

/** What the options make of a harness. Throws a `RangeError` for limits that make no sense, a `TypeError` for subagents. */
export function harnessInfo(options: Settings): HarnessInfo {
  return Object.freeze({
    version: options.version,
    models: options.models.known,
    subagents: checkedSubagents(options.subagents),
    limits: checkedLimits({ ...defaultLimits, ...options.limits }),
  })
}

function checkedSubagents(given: unknown): readonly SubagentDefinition[] {
  const checked = checkedDefinitions(given)
  if (checked.ok) return checked.definitions
  const lines = checked.issues.map(({ path, message }) => `${path.join('.')} ${message}.`)
  throw new TypeError(lines.join('\n'))
}

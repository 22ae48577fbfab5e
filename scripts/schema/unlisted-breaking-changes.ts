import { CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema } from 'graphql'

/**
 * The changes from one schema to the next that break a client and that the list does not own up to, one line each.
 * The list names a change as code: `FIELD_REMOVED Query.session`.
 */
export async function unlistedBreakingChanges(before: string, after: string, list: string): Promise<readonly string[]> {
  const changes = await diff(buildSchema(before), buildSchema(after))
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .map(({ type, path, message }) => ({ name: [String(type), path ?? ''].join(' ').trim(), message }))
    .filter(({ name }) => !list.includes(`\`${name}\``))
    .map(({ name, message }) => `\`${name}\`: ${message}`)
}

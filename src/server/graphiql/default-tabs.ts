import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Tab {
  readonly query: string
  /** As JSON. */
  readonly variables?: string
}

const FOLDER = fileURLToPath(new URL('../../../examples/operations/', import.meta.url))

/** How an operation says what its variables look like; GraphiQL shows them below it. */
const SHOWN_VARIABLES = /^# Variables: .*\n/m

/**
 * The operations that GraphiQL opens with: `examples/operations/*.graphql` in the order of their names, each with the
 * variables of the `.json` file beside it if there is one. None when the folder is missing.
 */
export function defaultTabs(folder = FOLDER): readonly Tab[] {
  const names = filesOf(folder)
  return names
    .filter((name) => name.endsWith('.graphql'))
    .toSorted()
    .map((name) => {
      const variables = name.replace(/\.graphql$/, '.json')
      return {
        query: readFileSync(join(folder, name), 'utf8').replace(SHOWN_VARIABLES, ''),
        ...(names.includes(variables) && { variables: readFileSync(join(folder, variables), 'utf8') }),
      }
    })
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

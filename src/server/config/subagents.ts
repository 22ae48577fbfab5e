import { readFileSync } from 'node:fs'
import { checkedDefinitions } from '../../domain/delegation/checked-definitions.ts'
import type { SubagentDefinition } from '../../domain/delegation/definition.ts'

export type SubagentsReading =
  | { readonly ok: true; readonly definitions: readonly SubagentDefinition[] }
  | { readonly ok: false; readonly problems: readonly string[] }

/** Reads a JSON file with a list of definitions. Problems are sentences without the name of the file. */
export function readSubagents(file: string): SubagentsReading {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    return wrong(`must be a file that can be read: ${error instanceof Error ? error.message : String(error)}`)
  }
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return wrong(`must be a file of JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const checked = checkedDefinitions(given)
  if (checked.ok) return checked
  return wrong(...checked.issues.map(({ path, message }) => `${path.join('.')} ${message}`))
}

const wrong = (...problems: readonly string[]): SubagentsReading => ({ ok: false, problems })

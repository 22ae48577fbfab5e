import type { Json, JsonObject } from '../../kernel/json.ts'
import { atMostBytes, promptTextRule, type Rule } from '../input-rules.ts'
import {
  MAX_DELEGATED_DESCRIPTION_BYTES,
  MAX_DELEGATED_PROMPT_BYTES,
  MAX_ID_BYTES,
  MAX_SUBAGENT_NAME_BYTES,
} from '../limits.ts'

/** The name of the tool by which models delegate. No other tool has it where there are subagents. */
export const DELEGATE = 'delegate'

/** What a model says when it delegates. */
export interface DelegateInput {
  readonly description: string
  readonly prompt: string
  readonly subagentType: string
  /** The child session to go on with; a new one when absent. */
  readonly taskId?: string
}

export type CheckedDelegation =
  | { readonly ok: true; readonly input: DelegateInput }
  /** Names every field that is wrong. */
  | { readonly ok: false; readonly message: string }

const fields: Readonly<Record<keyof DelegateInput, { readonly maxBytes: number; readonly required: boolean }>> = {
  description: { maxBytes: MAX_DELEGATED_DESCRIPTION_BYTES, required: true },
  prompt: { maxBytes: MAX_DELEGATED_PROMPT_BYTES, required: true },
  subagentType: { maxBytes: MAX_SUBAGENT_NAME_BYTES, required: true },
  taskId: { maxBytes: MAX_ID_BYTES, required: false },
}

/** The JSON schema of the input, for models. */
export const delegateInputSchema: JsonObject = {
  type: 'object',
  properties: {
    description: { type: 'string', minLength: 1, description: 'The task in a few words, for people.' },
    prompt: { type: 'string', minLength: 1, description: 'Everything that the subagent has to know: it sees nothing else.' },
    subagentType: { type: 'string', minLength: 1, description: 'The name of the subagent.' },
    taskId: { type: 'string', minLength: 1, description: 'Omit it, unless a child of an earlier run is to go on.' },
  },
  required: ['description', 'prompt', 'subagentType'],
  additionalProperties: false,
}

/** Takes exactly what the schema says, within its limits. */
export function checkDelegation(value: Json): CheckedDelegation {
  if (!isObject(value)) return { ok: false, message: 'the input must be an object' }
  const issues = [
    ...Object.keys(value)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name) => `${JSON.stringify(name.slice(0, 64))} is not a field`),
    ...Object.entries(fields).flatMap(([name, { maxBytes, required }]) => {
      const given = Object.hasOwn(value, name) ? value[name] : undefined
      if (given === undefined) return required ? [`${name} is missing`] : []
      const issue = textIssue(given, maxBytes)
      return issue === undefined ? [] : [`${name} ${issue}`]
    }),
  ]
  return isSound(value, issues) ? { ok: true, input: value } : { ok: false, message: issues.join('; ') }
}

const isSound = (_: JsonObject, issues: readonly string[]): _ is JsonObject & DelegateInput => issues.length === 0

function textIssue(value: Json, maxBytes: number): string | undefined {
  if (typeof value !== 'string') return 'must be text'
  if (value.trim() === '') return 'must not be blank'
  const rules: readonly Rule<string>[] = [atMostBytes(maxBytes), promptTextRule]
  return rules.map((rule) => rule(value)).find((issue) => issue !== undefined)
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

import { plainFields, plainItems } from '../../kernel/plain.ts'
import type { Issue } from '../../kernel/refusal.ts'
import {
  maxStepsRule,
  modelHintRule,
  type Rule,
  subagentDescriptionRule,
  subagentNameRule,
  systemRule,
  toolNameRule,
} from '../input-rules.ts'
import { MAX_SUBAGENT_TOOLS, MAX_SUBAGENTS } from '../limits.ts'
import { budgetRules } from '../run/budget.ts'
import type { SubagentBudget, SubagentDefinition } from './definition.ts'

export type CheckedDefinitions =
  | { readonly ok: true; readonly definitions: readonly SubagentDefinition[] }
  /** All that is wrong with them. */
  | { readonly ok: false; readonly issues: readonly Issue[] }

/**
 * Copies of the definitions that an application gives, frozen; none when they are absent. Whatever is given, nothing is
 * thrown, and none of its code is run.
 */
export function checkedDefinitions(given: unknown): CheckedDefinitions {
  const issues: Issue[] = []
  const path = ['subagents']
  const definitions = given === undefined ? [] : definitionList({ value: given, path, issues })
  const names = definitions?.map(({ name }) => name) ?? []
  for (const [i, name] of names.entries()) {
    if (names.indexOf(name) < i) issues.push({ path: [...path, i, 'name'], message: `is ${JSON.stringify(name)} twice` })
  }
  return definitions && issues.length === 0 ? { ok: true, definitions } : { ok: false, issues }
}

interface Given {
  readonly value: unknown
  readonly path: Issue['path']
  /** Where to say what is wrong. */
  readonly issues: Issue[]
}

/** A frozen copy of what was given; undefined, with an issue, when something is wrong with it. */
type Read<T> = (given: Given) => T | undefined

function wrong({ path, issues }: Given, message: string): undefined {
  issues.push({ path, message })
  return undefined
}

const text =
  (rule: Rule<string>): Read<string> =>
  (given) => {
    const { value } = given
    if (typeof value !== 'string') return wrong(given, 'must be text')
    const message = rule(value)
    return message === undefined ? value : wrong(given, message)
  }

const number =
  (rule: Rule<number>): Read<number> =>
  (given) => {
    const { value } = given
    if (typeof value !== 'number') return wrong(given, 'must be a number')
    const message = rule(value)
    return message === undefined ? value : wrong(given, message)
  }

const list =
  <T>(read: Read<T>, most: number): Read<readonly T[]> =>
  (given) => {
    const items = plainItems(given.value, most)
    if (!items) return wrong(given, 'must be a plain list')
    if (items.length > most) return wrong(given, `must hold at most ${most} items`)
    const copies = items.flatMap((value, i) => read({ ...given, value, path: [...given.path, i] }) ?? [])
    return copies.length === items.length ? Object.freeze(copies) : undefined
  }

interface Fields {
  readonly required: <T>(name: string, read: Read<T>) => T | undefined
  readonly optional: <T>(name: string, read: Read<T>) => T | undefined
}

/** The fields of a plain object. Undefined, with an issue, for anything else; an unknown field is an issue, too. */
function fieldsOf(given: Given, known: readonly string[]): Fields | undefined {
  const fields = plainFields(given.value)
  if (!fields) return wrong(given, 'must be a plain object, without accessors and symbols')
  const inside = (name: string): Given => ({ ...given, value: fields.get(name), path: [...given.path, name] })
  const unknown = [...fields.keys()].filter((name) => !known.includes(name)).slice(0, MAX_UNKNOWN_SHOWN)
  for (const name of unknown) wrong(inside(name), `is unknown; there are ${known.join(', ')}`)
  return {
    required: (name, read) => read(inside(name)),
    optional: (name, read) => (fields.has(name) ? read(inside(name)) : undefined),
  }
}

const MAX_UNKNOWN_SHOWN = 10

/** By the rules of the budget of a prompt. */
const budget: Read<SubagentBudget> = (given) => {
  const fields = fieldsOf(given, Object.keys(budgetRules))
  if (!fields) return undefined
  const totalTokens = fields.optional('totalTokens', number(budgetRules.totalTokens))
  const wallClockMs = fields.optional('wallClockMs', number(budgetRules.wallClockMs))
  const idleMs = fields.optional('idleMs', number(budgetRules.idleMs))
  return Object.freeze({
    ...(totalTokens !== undefined && { totalTokens }),
    ...(wallClockMs !== undefined && { wallClockMs }),
    ...(idleMs !== undefined && { idleMs }),
  })
}

const definition: Read<SubagentDefinition> = (given) => {
  const fields = fieldsOf(given, ['name', 'description', 'modelHint', 'system', 'maxSteps', 'budget', 'tools'])
  if (!fields) return undefined
  const name = fields.required('name', text(subagentNameRule))
  const description = fields.required('description', text(subagentDescriptionRule))
  const modelHint = fields.optional('modelHint', text(modelHintRule))
  const system = fields.optional('system', text(systemRule))
  const maxSteps = fields.optional('maxSteps', number(maxStepsRule))
  const allowed = fields.optional('budget', budget)
  const tools = fields.optional('tools', list(text(toolNameRule), MAX_SUBAGENT_TOOLS))
  if (name === undefined || description === undefined) return undefined
  return Object.freeze({
    name,
    description,
    ...(modelHint !== undefined && { modelHint }),
    ...(system !== undefined && { system }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(allowed && { budget: allowed }),
    ...(tools && { tools }),
  })
}

const definitionList = list(definition, MAX_SUBAGENTS)

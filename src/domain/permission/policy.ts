import type { Json, JsonObject } from '../../kernel/json.ts'

export type PolicyEffect = 'allow' | 'ask' | 'deny'

/** One rule about calls of tools. */
export interface PolicyRule {
  /** The name of the tool; `*` stands for any characters, also none. */
  readonly tool: string
  /**
   * Patterns for fields of the input, by name; a dot goes one level down. A field that is not text is compared as JSON.
   * All of them must match; a field that is missing matches nothing.
   */
  readonly input?: Readonly<Record<string, string>>
  readonly effect: PolicyEffect
  /** What the model is told when the call is denied. */
  readonly message?: string
}

export interface PolicyVerdict {
  readonly effect: PolicyEffect
  readonly message: string | null
}

export interface PolicyCall {
  readonly toolName: string
  readonly input: Json
  readonly readOnly: boolean
}

/** The first rule that matches counts. Without one, tools that change nothing are allowed and all others asked for. */
export function verdictOf(rules: readonly PolicyRule[], call: PolicyCall): PolicyVerdict {
  const rule = rules.find((candidate) => matchesRule(candidate, call))
  if (rule) return { effect: rule.effect, message: rule.message ?? null }
  return { effect: call.readOnly ? 'allow' : 'ask', message: null }
}

function matchesRule({ tool, input = {} }: PolicyRule, call: PolicyCall): boolean {
  if (!matchesPattern(tool, call.toolName)) return false
  return Object.entries(input).every(([path, pattern]) => {
    const value = fieldOf(call.input, path.split('.'))
    return value !== undefined && matchesPattern(pattern, typeof value === 'string' ? value : JSON.stringify(value))
  })
}

function fieldOf(value: Json, [name, ...rest]: readonly string[]): Json | undefined {
  if (name === undefined) return value
  const inner = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  return inner === undefined ? undefined : fieldOf(inner, rest)
}

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** In time proportional to the product of both lengths, whatever they are. */
function matchesPattern(pattern: string, text: string): boolean {
  const [first = '', ...pieces] = pattern.split('*')
  const last = pieces.pop()
  if (last === undefined) return text === first
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

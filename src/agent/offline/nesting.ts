/** How a clause of a prompt holds together. */
export interface Nesting {
  /** Whether any `then` ends the clause, not only one before something that is understood. */
  readonly endsAtAnyThen: boolean
  /** Whether a place is within something that belongs to the clause as a whole. Asked of growing places. */
  readonly holds: (place: number) => boolean
}

interface Clause {
  readonly prompt: string
  readonly start: number
  /** Of the whole prompt. */
  readonly parentheses: ReadonlyMap<number, number>
}

const DELEGATE = /\s*delegate to [^\s:]+\s*:/iy
const CALL = /\s*call \S+ with\s/iy

/**
 * A delegation holds together in parentheses, a call in its JSON, anything else not at all. Each character is looked at
 * once, when a place behind it is asked for.
 */
export function nestingOf(clause: Clause): Nesting {
  if (matches(DELEGATE, clause)) return { endsAtAnyThen: true, holds: inParentheses(clause) }
  return { endsAtAnyThen: false, holds: matches(CALL, clause) ? inJson(clause) : nowhere }
}

const nowhere = (): boolean => false

function matches(pattern: RegExp, { prompt, start }: Clause): boolean {
  pattern.lastIndex = start
  return pattern.test(prompt)
}

function inParentheses({ prompt, start, parentheses }: Clause): Nesting['holds'] {
  let depth = 0
  let at = start
  return (place) => {
    for (; at < place; at++) {
      const other = prompt[at] === '(' || prompt[at] === ')' ? parentheses.get(at) : undefined
      if (other === undefined || other < start) continue
      depth += other > at ? 1 : -1
    }
    return depth > 0
  }
}

function inJson({ prompt, start }: Clause): Nesting['holds'] {
  let depth = 0
  let isText = false
  let at = start
  return (place) => {
    for (; at < place; at++) {
      const character = prompt.charAt(at)
      if (isText && character === '\\') at++
      else if (character === '"') isText = !isText
      else if (!isText && '{['.includes(character)) depth++
      else if (!isText && '}]'.includes(character)) depth--
    }
    return isText || depth > 0
  }
}

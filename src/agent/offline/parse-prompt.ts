import type { Phrase } from './phrase.ts'
import { phrases } from './phrases.ts'

/** A part of a prompt: what it asks for, or null when it is not understood. */
export interface Request {
  readonly text: string
  readonly phrase: Phrase | null
  /** What the groups of the phrase's pattern caught. */
  readonly words: readonly string[]
}

/** As many parts as anybody reads. What follows is text of the last one. */
const MAX_REQUESTS = 1_000

/** One blank on each side: with more, a text of blanks would take quadratic time. */
const THEN = /(\sthen\s)/i

/**
 * Takes a prompt apart at each `then` behind which something begins that is understood. Any other `then` belongs to the
 * text around it, so that one can remember what happened then. Never empty.
 */
export function parsePrompt(prompt: string): readonly Request[] {
  const [first = '', ...rest] = prompt.split(THEN)
  const requests: Request[] = []
  let clauses = [first]
  for (let index = 0; index < rest.length; index += 2) {
    const [joint = '', clause = ''] = rest.slice(index, index + 2)
    if (requests.length < MAX_REQUESTS - 1 && requestOf(clause).phrase) {
      requests.push(requestOf(clauses.join('')))
      clauses = [clause]
    } else clauses.push(joint, clause)
  }
  return [...requests, requestOf(clauses.join(''))]
}

function requestOf(clause: string): Request {
  const text = clause.trim().replace(/,$/, '')
  for (const phrase of phrases) {
    const match = phrase.pattern.exec(text)
    if (match) return { text, phrase, words: match.slice(1).map((group) => group ?? '') }
  }
  return { text, phrase: null, words: [] }
}

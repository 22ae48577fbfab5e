import { nestingOf } from './nesting.ts'
import { parenthesesOf } from './parentheses.ts'
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
const THEN = /\sthen\s/gi

/**
 * Takes a prompt apart at each `then` behind which something begins that is understood, and at each behind a delegation.
 * Any other `then` belongs to the text around it, so that one can remember what happened then; so do those in the
 * parentheses of a delegation and in the JSON of a call. Never empty.
 */
export function parsePrompt(prompt: string): readonly Request[] {
  const joints = [...prompt.matchAll(THEN)].map(({ 0: joint, index }) => ({ start: index, end: index + joint.length }))
  const parentheses = parenthesesOf(prompt)
  const nestingFrom = (start: number) => nestingOf({ prompt, start, parentheses })
  const requests: Request[] = []
  let start = 0
  let nesting = nestingFrom(start)
  for (const [index, joint] of joints.entries()) {
    if (requests.length >= MAX_REQUESTS - 1) break
    if (nesting.holds(joint.start)) continue
    const next = prompt.slice(joint.end, joints[index + 1]?.start)
    if (!nesting.endsAtAnyThen && !requestOf(next).phrase) continue
    requests.push(requestOf(prompt.slice(start, joint.start)))
    start = joint.end
    nesting = nestingFrom(start)
  }
  return [...requests, requestOf(prompt.slice(start))]
}

function requestOf(clause: string): Request {
  const text = clause.trim().replace(/,$/, '')
  for (const phrase of phrases) {
    const match = phrase.pattern.exec(text)
    if (match) return { text, phrase, words: match.slice(1).map((group) => group ?? '') }
  }
  return { text, phrase: null, words: [] }
}

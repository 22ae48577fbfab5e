import fc from 'fast-check'
import type { EventBody } from '../../src/domain/event/event.ts'
import type { ContentCommand } from '../../src/domain/session/commands.ts'
import type { Outcome } from './content.ts'
import { ContentRows } from './content-rows.ts'
import { type Walk, walks, type WalkStep } from './content-walks.ts'

/** What laws about random walks of a session are told in. */

const numRuns = 300

let sampled: { readonly seed: number; readonly walked: readonly Walk[] } | undefined

/** The walks are the expensive part, so all laws are checked on the same ones. */
function sample() {
  const walked: Walk[] = []
  const { seed } = fc.check(fc.property(walks, (walk) => void walked.push(walk)), { numRuns })
  return { seed, walked }
}

/** Checks a law on random walks of a session. One that breaks it is made as short as can be. */
export function holds(law: (walk: Walk) => void): void {
  const { seed, walked } = (sampled ??= sample())
  if (walked.every((walk) => obeys(walk, law))) return
  fc.assert(fc.property(walks, law), { seed, numRuns })
  throw new Error('A walk breaks the law at one time and obeys it at another.')
}

function obeys(walk: Walk, law: (walk: Walk) => void): boolean {
  try {
    law(walk)
    return true
  } catch {
    return false
  }
}

export const rowsAfter = (walk: Walk): ContentRows => {
  const rows = new ContentRows()
  for (const { outcome } of walk) outcome.writes.forEach((write) => rows.apply(write))
  return rows
}

export const bodiesOf = (outcomes: readonly Outcome[]): readonly EventBody[] =>
  outcomes.flatMap(({ announced }) => announced.map(({ body }) => body))

export const outcomesOf = (walk: Walk): readonly Outcome[] => walk.map(({ outcome }) => outcome)

export const accepted = (walk: Walk, type: ContentCommand['type']): readonly WalkStep[] =>
  walk.filter(({ command, outcome }) => command.type === type && outcome.answer === 'accepted')

export const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i)

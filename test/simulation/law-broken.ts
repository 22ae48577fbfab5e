import { isDeepStrictEqual } from 'node:util'

/** Thrown by the checker: something does not hold that must hold whatever happens. */
export class LawBroken extends Error {
  override readonly name = 'LawBroken'
}

/** Throws when a law is broken. The facts are told only then. */
export function holds(isTrue: boolean, law: string, ...facts: readonly unknown[]): void {
  if (!isTrue) throw new LawBroken([law, ...facts.map((fact) => JSON.stringify(fact))].join('\n  '))
}

/** The same, for values that must be equal. */
export function same(actual: unknown, expected: unknown, law: string): void {
  holds(isDeepStrictEqual(actual, expected), law, { actual }, { expected })
}

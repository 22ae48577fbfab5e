import { expect } from 'vitest'

/** Traces of the inside in what a client sees: stacks, paths, SQL, names of classes, and what JavaScript says. */
const indecent = [
  /\bat [^\n"]*[:(]\d+:\d+\)?/,
  /node_modules|node:internal|file:\/\/\/(?!etc\/hostname)|\.ts\b[:)]|\/src\//,
  /\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM)\b.*\b(?:FROM|VALUES|SET|WHERE)\b/i,
  /SQLITE_|prisma|sqlstate|violates|constraint failed/i,
  /\b(?:Refusal|Type|Range|Syntax|Reference|Zod|GraphQL|Store|Assertion|Suppressed)Error\b/,
  /Cannot (?:read|set|convert|mix|access|destructure)|is not (?:a function|iterable)|\w is not defined/,
  /undefined|\[object |Maximum call stack|Unexpected (?:token|end of JSON|error)/,
]

interface Shown {
  readonly message?: unknown
  readonly extensions?: { readonly code?: unknown }
}

/** What every entry of `errors[]` must be, whatever was asked: of the request's making, with a code, discreet. */
export function expectDecent(errors: unknown): void {
  expect(Array.isArray(errors) && errors.length > 0, `errors must be a list: ${JSON.stringify(errors)}`).toBe(true)
  for (const error of errors as readonly Shown[]) {
    const { message, extensions } = error
    expect(typeof message, `an error without a message: ${JSON.stringify(error)}`).toBe('string')
    expect(extensions?.code, `an error without a code: ${JSON.stringify(error)}`).toMatch(/^[A-Z_]+$/)
    const isFault = extensions?.code === 'INTERNAL_SERVER_ERROR'
    expect(isFault, `a fault: ${JSON.stringify(error)}`).toBe(false)
    expectDiscreet(JSON.stringify(error))
  }
}

/** Says nothing of the inside. */
export function expectDiscreet(text: string): void {
  for (const trace of indecent) {
    const [found] = trace.exec(text) ?? []
    expect(found, `it shows the inside: ${text.slice(0, 500)}`).toBeUndefined()
  }
}

/** An answer of the API: data, errors that are decent, or both. */
export function expectDecentResult(result: unknown): void {
  expect(
    typeof result === 'object' && result !== null && !Array.isArray(result),
    `no answer: ${JSON.stringify(result)}`,
  ).toBe(true)
  const { data, errors } = result as { readonly data?: unknown; readonly errors?: unknown }
  if (errors === undefined) expect(data, 'an answer without data and errors').toBeTypeOf('object')
  else expectDecent(errors)
}

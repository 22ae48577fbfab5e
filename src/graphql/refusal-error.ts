import { GraphQLError } from 'graphql'
import { type Answer, invalid, type Issue, notFound, type Refusal } from '../kernel/refusal.ts'

/**
 * A refusal on its way to the client. A mutation answers it as a member of its result union; everywhere else it is an
 * entry of `errors[]` with the refusal's code in `extensions`.
 */
export class RefusalError extends GraphQLError {
  override readonly name = 'RefusalError'
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.message, { extensions: extensionsOf(refusal) })
    this.refusal = refusal
  }
}

function extensionsOf(refusal: Refusal): Record<string, unknown> {
  const { message: _, ...extensions } = refusal
  return extensions
}

/** A refusal because of one argument of the field that is resolved. */
export const invalidArgument = (path: Issue['path'], message: string): RefusalError =>
  new RefusalError(invalid(path, message))

export const noSuch = (what: string, id: string): RefusalError => new RefusalError(notFound(what, id))

/** The value of a verb's answer; throws its refusal, whose issues name fields of `input`. */
export function valueOf<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.value
  throw new RefusalError(answer.refusal.code === 'VALIDATION_FAILED' ? aboutInput(answer.refusal) : answer.refusal)
}

const aboutInput = <R extends { readonly issues: readonly Issue[] }>(refusal: R): R => ({
  ...refusal,
  issues: refusal.issues.map(({ path, message }) => ({
    path: path[0] === 'input' ? path : ['input', ...path],
    message,
  })),
})

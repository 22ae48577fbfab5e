import { MAX_PAGE } from '../domain/limits.ts'
import { builder } from './builder.ts'
import { DEFAULT_PAGE } from './page-size.ts'
import { validPageSize } from './validated.ts'

const CURSOR_ERRORS = "Another list's cursor, or no cursor at all, is the error VALIDATION_FAILED."

/** The arguments of every connection. */
export const forwardArguments = builder.args((arg) => ({
  first: arg.int({
    defaultValue: DEFAULT_PAGE,
    validate: validPageSize,
    description: `Edges of the page, at most ${MAX_PAGE}, otherwise VALIDATION_FAILED.`,
  }),
  after: arg.string({ description: `The page begins behind this cursor. ${CURSOR_ERRORS}` }),
}))

/** Those of lists that can be read from their end as well. */
export const bothWaysArguments = builder.args((arg) => ({
  first: arg.int({
    validate: validPageSize,
    description:
      `Edges from the beginning, at most ${MAX_PAGE}; ${DEFAULT_PAGE} without \`first\` and \`last\`. Both are ` +
      'VALIDATION_FAILED.',
  }),
  after: arg.string({ description: `Only what comes behind this cursor. ${CURSOR_ERRORS}` }),
  last: arg.int({
    validate: validPageSize,
    description: `Edges from the end, at most ${MAX_PAGE}; still in the order of the list.`,
  }),
  before: arg.string({ description: `Only what comes before this cursor. ${CURSOR_ERRORS}` }),
}))

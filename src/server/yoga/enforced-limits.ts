import { type DocumentNode, type ExecutionArgs, GraphQLError, parse, type ParseOptions, type Source } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { complexityOf } from '../../graphql/complexity.ts'
import { aliasesOf, defaultOperationLimits, depthOf } from '../../graphql/limits.ts'
import { nestingOf } from './nesting.ts'

/** Words, names and brackets of a document; more of them are not even parsed. */
const MAX_TOKENS = 5_000
/** Brackets within one another, those of values included, however few of them make a level of fields. */
const MAX_NESTING = 200

type Stop = (result: { readonly errors: readonly GraphQLError[] }) => void

/**
 * Refuses documents and operations that ask for too much. It looks when an operation is executed, with its variables:
 * what validation says is remembered for a document, whatever its variables and whichever of its operations is meant.
 */
export const enforcedLimits: Plugin = {
  onParse: ({ setParseFn }) => setParseFn(parseWithinLimit),
  onExecute: ({ args, setResultAndStopExecution }) => stopWhenOver(args, setResultAndStopExecution),
  onSubscribe: ({ args, setResultAndStopExecution }) => stopWhenOver(args, setResultAndStopExecution),
}

function parseWithinLimit(source: string | Source, options?: ParseOptions): DocumentNode {
  if (nestingOf(source, MAX_NESTING + 1) > MAX_NESTING) {
    throw tooMuch('TOO_DEEP', `nests more than ${MAX_NESTING} brackets`, MAX_NESTING)
  }
  return parse(source, { ...options, maxLexicalTokens: MAX_TOKENS })
}

function stopWhenOver(args: ExecutionArgs, stop: Stop): void {
  const error = excess(args)
  if (error) stop({ errors: [error] })
}

function excess({ schema, document, operationName, variableValues }: ExecutionArgs): GraphQLError | undefined {
  const { maxDepth, maxAliases, maxComplexity } = defaultOperationLimits
  const depth = depthOf(document, operationName)
  if (depth > maxDepth) return tooMuch('TOO_DEEP', `goes ${depth} levels deep`, maxDepth)
  const aliases = aliasesOf(document, operationName)
  if (aliases > maxAliases) return tooMuch('TOO_MANY_ALIASES', `has ${aliases} aliases`, maxAliases)
  const complexity = complexityOf({ schema, document, operationName, variables: variableValues })
  if (complexity > maxComplexity) return tooMuch('TOO_COMPLEX', `could resolve ${complexity} fields`, maxComplexity)
  return undefined
}

/** Not the fault of HTTP, so the status is that of any document that is not valid. */
const tooMuch = (code: string, what: string, limit: number): GraphQLError =>
  new GraphQLError(`The operation ${what}; the limit is ${limit}.`, {
    extensions: { code, limit, http: { spec: true, status: 400 } },
  })

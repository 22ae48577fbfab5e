import { type Expression, parseSync } from '@swc/core'

/** A test whose title begins with the ids of the laws it enforces. */
export interface LawTest {
  readonly file: string
  readonly title: string
  readonly ids: readonly string[]
}

const TITLE_IDS = /^(?<ids>[A-Z]\d+(?:,\s*[A-Z]\d+)*)(?=[:\s]|$)/
const TEST_FUNCTIONS = new Set(['test', 'it'])
const NOT_RUN = new Set(['skip', 'todo', 'fails'])

/**
 * The tests of a source file that carry law ids, read from its syntax: `test('R1, R2: …')`, `it.each(rows)('R1: …')`.
 * A title must begin with literal text; a test that never runs, or is meant to fail, enforces nothing and is left out.
 * Throws when the source does not parse.
 */
export function lawTests(file: string, source: string): readonly LawTest[] {
  return callsIn(parseSync(source, { syntax: 'typescript', target: 'es2024' })).flatMap((call) => {
    const title = isRunningTest(call.callee) ? titleOf(call.arguments[0]?.expression) : undefined
    const ids = TITLE_IDS.exec(title ?? '')?.groups?.['ids']
    return title === undefined || ids === undefined ? [] : [{ file, title, ids: ids.split(/,\s*/) }]
  })
}

interface Call {
  readonly type: 'CallExpression'
  readonly callee: unknown
  readonly arguments: readonly { readonly expression: Expression }[]
}

const isNode = (value: unknown): value is { readonly type: string } =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'

const isCall = (value: unknown): value is Call => isNode(value) && value.type === 'CallExpression'

function callsIn(root: unknown): readonly Call[] {
  if (typeof root !== 'object' || root === null) return []
  const inside = Object.values(root).flatMap(callsIn)
  return isCall(root) ? [root, ...inside] : inside
}

/** `test`, `it`, and what hangs on them: `test.each(rows)`, `test.skipIf(condition)`, `test.concurrent`. */
function isRunningTest(callee: unknown): boolean {
  if (isCall(callee)) return isRunningTest(callee.callee)
  if (!isNode(callee)) return false
  if (callee.type === 'Identifier') return 'value' in callee && TEST_FUNCTIONS.has(String(callee.value))
  if (callee.type !== 'MemberExpression' || !('object' in callee) || !('property' in callee)) return false
  const { object, property } = callee
  const name = isNode(property) && 'value' in property ? String(property.value) : ''
  return !NOT_RUN.has(name) && isRunningTest(object)
}

function titleOf(expression: Expression | undefined): string | undefined {
  if (expression?.type === 'StringLiteral') return expression.value
  if (expression?.type !== 'TemplateLiteral') return undefined
  return expression.quasis.map((quasi) => quasi.raw).join('…')
}

import { asScopeId, type ScopeId } from '../kernel/ids.ts'
import type { GraphQLContext } from './context.ts'
import { noSuch, RefusalError } from './refusal-error.ts'
import { type OperationName, rowOf } from './role-table.ts'

/**
 * Lets an operation in, or throws why not: NOT_FOUND where the caller does not see the scope, as if what the operation
 * names did not exist; FORBIDDEN where he sees it and his role is too low. A query of a scope that is not seen is let
 * in: there it finds nothing.
 */
export async function enter(operation: OperationName, args: object, context: GraphQLContext): Promise<void> {
  const scopeId = scopeNamedBy(operation, args)
  if (scopeId !== undefined && !(await context.reads.scopes.readable.load(scopeId))) {
    if (operation.startsWith('Query.')) return
    throw nothingThere(operation, args, scopeId)
  }
  if (!context.access.may(operation, scopeId)) throw forbidden(operation)
}

/** Throws where a subscription that was let in would no longer be. */
export function stillIn(operation: OperationName, args: object, { access }: GraphQLContext): void {
  const scopeId = scopeNamedBy(operation, args)
  if (scopeId !== undefined && !access.sees(scopeId)) throw nothingThere(operation, args, scopeId)
  if (!access.may(operation, scopeId)) throw forbidden(operation)
}

/** Undefined where an operation is about no scope. One that must name a scope and does not is a fault, and stays outside. */
function scopeNamedBy(operation: OperationName, args: object): ScopeId | undefined {
  const { scope } = rowOf(operation)
  if (!scope) return undefined
  const scopeId = textAt(args, scope)
  if (scopeId === undefined) throw new Error(`${operation} does not say in which scope.`)
  return asScopeId(scopeId)
}

function nothingThere(operation: OperationName, args: object, scopeId: ScopeId): RefusalError {
  const { session, subject } = rowOf(operation)
  const { what, id } = subject ?? { what: 'session', id: session }
  const name = textAt(args, id)
  return name === undefined ? noSuch('scope', scopeId) : noSuch(what, name)
}

/** The id that stands in the arguments at the end of a way; undefined when there is no way, or nothing at its end. */
function textAt(args: object, way: readonly string[] | undefined): string | undefined {
  const value = way?.reduce<unknown>((inner, name) => (inner as Readonly<Record<string, unknown>>)[name], args)
  return typeof value === 'string' ? value : undefined
}

const forbidden = (operation: OperationName): RefusalError =>
  new RefusalError({ code: 'FORBIDDEN', message: `This needs the role ${rowOf(operation).least}.` })

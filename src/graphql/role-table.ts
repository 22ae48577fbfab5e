import type { Role } from '../domain/access/role.ts'

/** Who may use a root field of the schema, and where its arguments say what it is about. */
export interface Row {
  readonly least: Role
  /** The way to the argument with the scope's id. A field without it finds its scopes by opening them itself. */
  readonly scope?: readonly string[]
  /** The way to the session that it is about, where that must exist. */
  readonly session?: readonly string[]
  /** The same for what else must exist in the scope, with what it is called. */
  readonly subject?: { readonly what: string; readonly id: readonly string[] }
}

const anywhere = (least: Role): Row => ({ least })
const inScope = (least: Role, argument = 'scopeId'): Row => ({ least, scope: [argument] })
const onSession = (least: Role): Row => ({ least, scope: ['scopeId'], session: ['sessionId'] })
const intoScope = (least: Role): Row => ({ least, scope: ['input', 'scopeId'] })
const intoSession = (least: Role): Row => ({ ...intoScope(least), session: ['input', 'sessionId'] })
const about = (what: string, id: string, least: Role): Row => ({
  ...intoScope(least),
  subject: { what, id: ['input', id] },
})

/**
 * Who may do what: one row for each root field. A field without one cannot be part of the schema. Roles hold within the
 * scopes of a principal; beyond them nothing exists.
 */
export const roleTable = {
  'Query.harness': anywhere('VIEWER'),
  'Query.node': anywhere('VIEWER'),
  'Query.nodes': anywhere('VIEWER'),
  'Query.scope': inScope('VIEWER', 'id'),
  'Query.scopes': anywhere('VIEWER'),
  'Query.session': inScope('VIEWER'),
  'Mutation.abortRun': intoSession('OPERATOR'),
  'Mutation.cancelPrompt': intoSession('OPERATOR'),
  'Mutation.createSession': intoScope('OPERATOR'),
  'Mutation.deleteSession': intoSession('OPERATOR'),
  'Mutation.deleteSessionGenerationCohort': { ...intoScope('OPERATOR'), session: ['input', 'root', 'sessionId'] },
  'Mutation.enqueuePrompt': intoSession('OPERATOR'),
  'Mutation.reconcileToolExecution': about('tool execution', 'intentId', 'ADMIN'),
  'Mutation.respondToPermission': about('permission', 'permissionId', 'OPERATOR'),
  'Mutation.revokeGrant': intoSession('OPERATOR'),
  'Mutation.retireScope': intoScope('ADMIN'),
  'Subscription.events': onSession('VIEWER'),
  'Subscription.liveRun': onSession('VIEWER'),
  'Subscription.pendingPermissions': inScope('VIEWER'),
} satisfies Readonly<Record<string, Row>>

export type OperationName = keyof typeof roleTable

export const isOperationName = (name: string): name is OperationName => Object.hasOwn(roleTable, name)

export const rowOf = (operation: OperationName): Row => roleTable[operation]

export const leastRoleFor = (operation: OperationName): Role => roleTable[operation].least

import type { SessionKey } from '../../../kernel/ids.ts'
import type { GraphQLContext } from '../../context.ts'
import type { NodeAddress } from '../../node-id.ts'
import { readableScope } from '../../scope-access.ts'
import {
  executionView,
  messageView,
  type NodeView,
  permissionView,
  queueEntryView,
  refOf,
  runView,
  type ScopeRef,
} from '../../views.ts'
import { findSession } from '../session/find-session.ts'

/** What a global id names, if that is in the scope which the id names and the caller may read it; null otherwise. */
export async function findNode(context: GraphQLContext, address: NodeAddress | undefined): Promise<NodeView | null> {
  const view = address && (await readableScope(context, address.scopeId))
  if (!view || address.type === 'Scope') return view ?? null
  const scope = refOf(view)
  return scope ? findIn(context, scope, address) : null
}

type Owned = Exclude<NodeAddress, { type: 'Scope' }>

async function findIn(context: GraphQLContext, scope: ScopeRef, address: Owned): Promise<NodeView | null> {
  const { reads } = context
  switch (address.type) {
    case 'Session':
      return findSession(context, scope, address.id)
    case 'Run': {
      const row = await reads.runs.byId.load(address.id)
      return row && (await isIn(context, scope, row)) ? runView(scope, row) : null
    }
    case 'Message': {
      const row = await reads.messages.byId.load(address.id)
      return row && (await isIn(context, scope, row)) ? messageView(scope, row) : null
    }
    case 'QueueEntry': {
      const row = await reads.queue.byId.load(address.id)
      return row && (await isIn(context, scope, row)) ? queueEntryView(scope, row) : null
    }
    case 'Permission': {
      const row = await reads.permissions.byId.load(address.id)
      return row && (await isIn(context, scope, row)) ? permissionView(scope, row) : null
    }
    case 'UncertainToolExecution': {
      const row = await reads.executions.byId.load(address.id)
      return row && (await isIn(context, scope, row)) ? executionView(scope, row) : null
    }
  }
}

/** Ids of runs, messages, entries, requests and executions are unique over all scopes: only the session tells whose they are. */
async function isIn(
  { reads }: GraphQLContext,
  { key }: ScopeRef,
  row: { readonly sessionKey: SessionKey },
): Promise<boolean> {
  const session = await reads.sessions.byKey.load(row.sessionKey)
  return session?.scopeKey === key
}

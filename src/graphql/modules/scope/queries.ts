import { z } from 'zod'
import { asScopeId, type ScopeKey } from '../../../kernel/ids.ts'
import { builder } from '../../builder.ts'
import { connectionType } from '../../connection.ts'
import { connectionView } from '../../connection-view.ts'
import type { GraphQLContext } from '../../context.ts'
import { cursorsOf, foreignCursor } from '../../cursor.ts'
import type { ScopeRow } from '../../facade-types.ts'
import { forwardArguments } from '../../page-arguments.ts'
import { pageRequest } from '../../page-request.ts'
import { Scope } from '../../refs.ts'
import { readableScope } from '../../scope-access.ts'
import { validId } from '../../validated.ts'
import type { ScopeView } from '../../views.ts'

const ScopeConnection = connectionType(Scope, { name: 'Scope', description: 'A page of scopes.' })

/** A place is told by the id of a scope that the caller sees: a row key would tell of those that he does not. */
const cursors = cursorsOf(['scopes'], z.string())

builder.queryFields((t) => ({
  scope: t.field({
    type: Scope,
    nullable: true,
    description:
      'A scope. Creates nothing: one in which nothing was stored yet is empty. Null when the caller may not see it.',
    args: {
      id: t.arg.id({ required: true, validate: validId, description: 'The id of the scope itself, not a global id.' }),
    },
    resolve: (_root, { id }, context) => readableScope(context, asScopeId(id)),
  }),
  scopes: t.field({
    type: ScopeConnection,
    description: 'The scopes in which something is stored and that the caller may see, oldest first.',
    args: forwardArguments,
    resolve: async (_root, args, context) => {
      const request = pageRequest(args, cursors)
      const after = request.after === undefined ? undefined : await keyOf(context, request.after)
      return connectionView({
        rows: await visible(context, after, request.size + 1),
        request,
        nodeOf: ({ view }) => view,
        cursorOf: ({ row }) => cursors.encode(row.storageKey),
      })
    },
  }),
}))

interface Visible {
  readonly row: ScopeRow
  readonly view: ScopeView
}

/** The key of a scope that is listed under this id. */
async function keyOf(context: GraphQLContext, scopeId: string): Promise<ScopeKey> {
  const view = await readableScope(context, asScopeId(scopeId))
  const listed = view?.row && view.storageKey === scopeId ? await visibleAs(context, view.row) : null
  if (!listed) throw foreignCursor('after')
  return listed.row.key
}

/** Reads on until there are as many as wanted. */
async function visible(
  context: GraphQLContext,
  after: ScopeKey | undefined,
  wanted: number,
): Promise<readonly Visible[]> {
  const found: Visible[] = []
  let from = after
  for (;;) {
    const rows = await context.harness.stores.scopes.page(from, wanted, context.access.scopes)
    const views = await Promise.all(rows.map((row) => visibleAs(context, row)))
    found.push(...views.filter((view) => view !== null))
    from = rows.at(-1)?.key
    if (found.length >= wanted || rows.length < wanted) return found.slice(0, wanted)
  }
}

/** A scope is listed under its storage key, if that is an id that stands for it. */
async function visibleAs(context: GraphQLContext, row: ScopeRow): Promise<Visible | null> {
  if (row.revision === 0) return null
  const view = await readableScope(context, asScopeId(row.storageKey))
  return view?.storageKey === row.storageKey ? { row, view } : null
}

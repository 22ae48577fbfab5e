import { type GraphQLField, type GraphQLInputType, getNamedType, isInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { asScopeId } from '../../src/kernel/ids.ts'
import { roles, suffices } from '../../src/domain/access/role.ts'
import { accessOf } from '../../src/graphql/access.ts'
import { builder } from '../../src/graphql/builder.ts'
import { type OperationName, roleTable, type Row } from '../../src/graphql/role-table.ts'
import { schema } from '../../src/graphql/schema.ts'
import { World } from '../support/world.ts'

const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
const fields = roots.flatMap((root) =>
  Object.values(root?.getFields() ?? {}).map((field) => [`${root?.name}.${field.name}`, field] as const),
)
const rows = Object.entries(roleTable) as readonly (readonly [OperationName, Row])[]

type Way = readonly string[]

interface Given {
  readonly name: string
  readonly type: GraphQLInputType
}

/** The ways to arguments and fields of inputs with this name. */
function waysTo(name: string, field: GraphQLField<unknown, unknown>): readonly Way[] {
  const waysFrom = (given: Given, way: Way): readonly Way[] => {
    const here = [...way, given.name]
    const type = getNamedType(given.type)
    if (given.name === name) return [here]
    return isInputObjectType(type) ? Object.values(type.getFields()).flatMap((inner) => waysFrom(inner, here)) : []
  }
  return field.args.flatMap((argument) => waysFrom(argument, []))
}

test('A40: the role table has a row for each root field of the schema, and no other', () => {
  const byText = (one = '', other = ''): number => one.localeCompare(other)
  expect(Object.keys(roleTable).toSorted(byText)).toEqual(fields.map(([name]) => name).toSorted(byText))
})

test.each(fields)('A40: the row of %s knows where the scope and the session are', (name, field) => {
  const { scope, session, subject }: Row = roleTable[name as OperationName]
  const scopes = waysTo('scopeId', field)
  expect(name === 'Query.scope' ? [['id']] : scopes).toEqual(scope ? [scope] : [])
  // A query finds nothing by itself, and a new session need not exist.
  const mustExist = !name.startsWith('Query.') && name !== 'Mutation.createSession'
  // What a cohort authorises need not exist either.
  const sessions = waysTo('sessionId', field).filter((way) => !way.includes('authorizedCohort'))
  expect(mustExist ? sessions : []).toEqual(session ? [session] : [])
  const others = ['permissionId', 'intentId'].flatMap((id) => waysTo(id, field))
  expect(others).toEqual(subject ? [subject.id] : [])
})

test.each(['Query', 'Mutation', 'Subscription'] as const)('A40: a field of %s without a row ends the building', (kind) => {
  const description = 'Not listed.'
  const resolve = () => 'x'
  if (kind === 'Query') builder.queryField('unlisted', (t) => t.string({ description, resolve }))
  if (kind === 'Mutation') builder.mutationField('unlisted', (t) => t.string({ description, resolve }))
  if (kind === 'Subscription') {
    async function* subscribe() {
      yield 'x'
    }
    builder.subscriptionField('unlisted', (t) => t.string({ description, subscribe, resolve }))
  }
  expect(() => builder.toSchema()).toThrow(/unlisted has no row in the role table/)
})

describe('A41: a role may what the table says', () => {
  test.each(rows)('%s', async (operation, { least }) => {
    const world = await World.started()
    for (const role of roles) {
      const access = accessOf({ id: 'x', role, scopes: ['own', 'own/*'] }, world.harness)
      const allowed = suffices(role, least)
      const answers = ['own', 'own/1', 'theirs', undefined].map((scope) =>
        access.may(operation, scope === undefined ? undefined : asScopeId(scope)),
      )
      expect(answers).toEqual([allowed, allowed, false, allowed])
    }
  })
})

test('A41: VIEWER reads and subscribes, OPERATOR also changes conversations, ADMIN also reconciles and retires', () => {
  const names = (role: string) => rows.filter(([, { least }]) => least === role).map(([name]) => name)
  expect(names('VIEWER').filter((name) => name.startsWith('Mutation.'))).toEqual([])
  expect(names('OPERATOR')).toEqual([
    'Mutation.abortRun',
    'Mutation.cancelPrompt',
    'Mutation.createSession',
    'Mutation.deleteSession',
    'Mutation.deleteSessionGenerationCohort',
    'Mutation.enqueuePrompt',
    'Mutation.respondToPermission',
    'Mutation.revokeGrant',
  ])
  expect(names('ADMIN')).toEqual(['Mutation.reconcileToolExecution', 'Mutation.retireScope'])
})

import {
  getNamedType,
  type GraphQLField,
  type GraphQLNamedType,
  isAbstractType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql'
import { beforeAll, expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { bury } from '../support/births.ts'
import { caller, scopeId, type World } from '../support/world.ts'
import { type Api, at, nodesOf } from './api.ts'
import { approving, becomesUncertain, callsWrite, respond, waiting } from './approving.ts'
import { plant } from './planted.ts'

/** What fields need that cannot do without arguments. */
const needed: Readonly<Record<string, string>> = {
  'Scope.session': '(sessionId: "s")',
  'Query.scope': '(id: "default")',
  'Query.session': '(scopeId: "default", sessionId: "s")',
}

/** Every field has its own name in the answer, so that it can be seen which were resolved. */
const shownAs = (type: GraphQLNamedType, field: string) => `${type.name}__${field}`

/** All fields of a type, and of what it has within `levels`; connections are no levels of their own. */
function everything(type: GraphQLNamedType, levels: number): string {
  if (isAbstractType(type)) {
    const types = schema.getPossibleTypes(type)
    return types.map((possible) => `... on ${possible.name} { ${everything(possible, levels)} }`).join(' ')
  }
  const fields = isObjectType(type) ? Object.values(type.getFields()) : []
  return ['__typename', ...fields.map((field) => selected(type, field, levels))].join(' ')
}

function selected(type: GraphQLNamedType, field: GraphQLField<unknown, unknown>, levels: number): string {
  const inner = getNamedType(field.type)
  const args = needed[`${type.name}.${field.name}`] ?? ''
  if (field.args.some(isRequiredArgument) && args === '') return ''
  const name = `${shownAs(type, field.name)}: ${field.name}${args}`
  if (isLeafType(inner)) return name
  const left = /(Connection|Edge)$/.test(inner.name) ? levels : levels - 1
  return left < 0 ? '' : `${name} { ${everything(inner, left)} }`
}

function keysOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)])
}

const resolved = new Set<string>()

beforeAll(async () => {
  const { world, api } = await approving({ subagents: [{ name: 'researcher', description: 'Finds things out.' }] })
  const events = 'subscription ($after: String) { events(scopeId: "default", after: $after) { ALL } }'
  const everyEvent = events.replace('ALL', everything(namedType('HarnessEvent'), 1))
  const see = (value: unknown) => keysOf(value).forEach((key) => resolved.add(key))

  const feed = await api.watch(everyEvent)
  await api.data(
    `mutation { createSession(input: { scopeId: "default", sessionId: "t", metadata: {} }) { __typename } }`,
  )
  await plant(world.stores, { parent: await world.load('s'), id: 'child', at: world.clock.now() })
  const attachments = [{ mediaType: 'text/plain', filename: 'a.txt', url: 'data:,a' }]
  await world.prompt('fails', { attachments })
  world.models.last.start('reasoning').delta('Hm', 'reasoning').end('reasoning').fail(new Error('broken'))
  await world.clock.settle()
  await world.harness.fenceScope({ scopeId, reason: 'To see what is told of it.' }, caller)
  await world.clock.settle()
  await world.prompt('streams')
  world.models.last.start().delta('Hello')
  await world.clock.advance(20)
  await world.prompt('waits', { options: { budget: { totalTokens: 5 } } })
  see(await feed.until(({ PartDeltaEvent__delta }) => PartDeltaEvent__delta === 'Hello'))
  see(await feed.until(({ __typename }) => __typename === 'SessionActivityEvent'))
  await world.clock.advance(40_000)
  see(await feed.until(({ __typename }) => __typename === 'CursorAdvancedEvent'))
  await plant(world.stores, { parent: await world.load('child'), id: 'dead', at: world.clock.now() })
  await bury(world.stores, await world.load('dead'))
  const dying = '{ scope(id: "default") { tombstones { ALL } } }'
  see(await api.data(dying.replace('ALL', everything(namedType('TombstoneConnection'), 3))))
  await world.harness.deleteSession({ scopeId, sessionId: asSessionId('dead') }, caller)
  see(await feed.until(({ __typename }) => __typename === 'SessionDeletedEvent'))
  const late = await api.watch(everyEvent)
  see(await late.event())
  await late.stop()
  const everyUpdate = everything(namedType('LiveRunUpdate'), 1)
  const live = await api.watch(`subscription { liveRun(scopeId: "default", sessionId: "s") { ${everyUpdate} } }`)
  see(await live.event())
  await live.stop()
  await uncertainAndAsked(world, api)
  see(await feed.until(({ __typename }) => __typename === 'ToolReconciledEvent'))
  see(await feed.until(({ __typename }) => __typename === 'GrantChangedEvent'))

  const found = await api.data(`{ scope(id: "default") { id session(sessionId: "child") { id parent {
    id queue { id } permissions { id }
    runs { edges { node { id messages { edges { node { id } } } toolExecutions { uncertainExecution { id } } } } }
  } } } }`)
  const all = JSON.stringify(found).match(/(Scope|Session|Run|Message|QueueEntry|Permission|Uncertain\w+):[^"]+/g) ?? []
  see(await api.data(`{ harness { ${everything(namedType('Harness'), 1)} } }`))
  see(await api.data(`{ scopes { ${everything(namedType('ScopeConnection'), 1)} } }`))
  for (const type of ['Scope', 'Session', 'Run', 'Message', 'QueueEntry', 'Permission', 'UncertainToolExecution']) {
    const source = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on ${type} { ${everything(namedType(type), 1)} } } }`
    see(await api.data(source, { ids: all }))
  }
  const deeper = `query ($ids: [ID!]!) { nodes(ids: $ids) {
    ... on Run { toolExecutions { ${everything(namedType('ToolPart'), 1)} } }
    ... on Session { grants { ${everything(namedType('Grant'), 1)} } }
  } }`
  see(await api.data(deeper, { ids: all }))
  expect(nodesOf(at(await api.data('{ scopes { edges { node { id } } } }'), 'scopes'))).toHaveLength(1)
})

/** Ends what goes on; leaves an execution that was reconciled and one that was not, a grant, and a request that waits. */
async function uncertainAndAsked(world: World, api: Api): Promise<void> {
  for (let prompts = 0; prompts < 2; prompts++) {
    await world.abort()
    await world.clock.advance(1_000)
  }
  await becomesUncertain(world, api)
  await api.data(`mutation ($id: ID!) { reconcileToolExecution(input: {
    scopeId: "default", intentId: $id, outcome: SUCCEEDED, output: {}
  }) { __typename } }`, { id: await uncertainIn(api) })
  await becomesUncertain(world, api)
  await callsWrite(world)
  await respond(api, { permissionId: await waiting(api), decision: 'ALWAYS' })
  world.tools.add('erase')
  await world.abort()
  await world.clock.advance(60_000)
  await callsWrite(world, { tool: 'erase' })
}

async function uncertainIn(api: Api): Promise<unknown> {
  const data = await api.data('{ session(scopeId: "default", sessionId: "s") { uncertainToolExecutions { intentId } } }')
  return at(data, 'session', 'uncertainToolExecutions', 0, 'intentId')
}

function namedType(name: string): GraphQLNamedType {
  const type = schema.getType(name)
  if (!type) throw new Error(`There is no type ${name}.`)
  return type
}

/** Root fields, payloads and errors have tests of their own. */
const types = Object.values(schema.getTypeMap())
  .filter(isObjectType)
  .filter(({ name }) => !/^__|^(Query|Mutation|Subscription|ValidationIssue|CohortMismatch)$|Payload$|Error$/.test(name))

test.each(types)('A15: every field of $name resolves', (type) => {
  const missing = Object.keys(type.getFields()).filter((field) => !resolved.has(shownAs(type, field)))
  expect(missing).toEqual([])
})

import fc from 'fast-check'
import { isInputObjectType, isObjectType } from 'graphql'
import { afterAll, describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'
import { asQueueId, asScopeId, type ScopeId, type ScopeKey } from '../../src/kernel/ids.ts'
import { expectSettled } from '../support/laws.ts'
import { caller, type World } from '../support/world.ts'
import { until } from '../server/until.ts'
import { type Call, callsOf, coordinatesOf, operationOf } from './calls.ts'
import { expectDecentResult, expectDiscreet } from './decent.ts'
import { directly } from './directly.ts'
import { expectHolds, patience } from './fuzzing.ts'
import { overHttp, overStream } from './over-http.ts'
import { type Populated, populated } from './populated.ts'
import { stored } from './stored.ts'
import type { Target } from './targets.ts'
import { uncaughtErrors } from './uncaught.ts'

const uncaught = uncaughtErrors()

/** What happens between two calls: the model and its tools go on, time passes. */
interface Turn {
  readonly says: 'answer' | 'fail' | 'write' | 'call' | 'nothing'
  readonly ms: number
}

const turns: fc.Arbitrary<Turn> = fc.record({
  says: fc.constantFrom('answer', 'fail', 'write', 'call', 'nothing', 'nothing'),
  ms: fc.constantFrom(0, 0, 25, 200, 60_000),
})

async function go({ models, tools, clock }: World, { says, ms }: Turn): Promise<void> {
  const call = models.calls.at(-1)
  if (says === 'answer') {
    call?.answer('Hello')
    tools.executions.at(-1)?.answer('done')
  }
  if (says === 'fail') call?.fail(new Error('SELECT secrets FROM /src/provider.ts:1:1'))
  if (says === 'write') call?.start().delta('Hello')
  if (says === 'call') call?.calls('erase', {}).finish('continue')
  await clock.advance(ms)
}

async function answered(stage: Populated, call: Call): Promise<unknown> {
  const operation = operationOf(call, stage.pool)
  if (call.over === 'direct') return directly(stage, operation)
  return call.target.operation === 'subscription' ? overStream(stage, operation) : overHttp(stage.url, operation)
}

async function expectHarmless(stage: Populated, call: Call): Promise<unknown> {
  const result = await answered(stage, call)
  await stage.world.clock.settle()
  expect(uncaught).toEqual([])
  expect(stage.faults).toEqual([])
  expectDecentResult(result)
  stage.pool.add(result)
  return result
}

const isRefused = (result: unknown): boolean => {
  const { data } = result as { readonly data?: Readonly<Record<string, { readonly __typename: string } | null>> | null }
  return Object.values(data ?? {}).every((outcome) => outcome === null || outcome.__typename.endsWith('Error'))
}

async function rejectAll({ stores, harness }: World, scopeKey: ScopeKey, scopeId: ScopeId): Promise<void> {
  for (const { permissionId } of await stores.permissions.inbox(scopeKey, undefined, 1_000)) {
    await harness.respondToPermission({ scopeId, permissionId, decision: 'REJECT', message: 'No.' }, caller)
  }
}

/** Lets everything end, and checks what must hold then. */
async function expectLawful({ world, pool }: Populated): Promise<void> {
  world.models.onCall = (call) => void call.answer('Bye')
  for (const call of world.models.calls) call.answer('Bye')
  await world.clock.advance(2_000)
  const scopes = await world.stores.scopes.page(undefined, 1_000)
  for (const { key, storageKey } of scopes) await rejectAll(world, key, asScopeId(storageKey))
  for (const execution of world.tools.executions) execution.answer('done')
  await world.clock.advance(2_000)
  const scope = scopes.find(({ storageKey }) => storageKey === 'default')
  const sessions = scope ? await world.stores.sessions.page({ scopeKey: scope.key, filter: {}, limit: 1_000 }) : []
  const filter = { types: ['session.deleted'] } as const
  const logs = scopes.map(({ key: scopeKey }) => world.stores.events.read({ scopeKey, filter, after: 0, limit: 1_000 }))
  const deletions = (await Promise.all(logs)).flatMap(({ events }) => events)
  expect(sessions.length + deletions.length).toBeGreaterThan(3)
  for (const { sessionId } of sessions) await expectSettled(world, [], sessionId)
  const ids = pool.texts('queueId')
  const entries = await world.stores.queue.findMany(ids.map(asQueueId))
  // What was deleted with its session is not there any more.
  const kept = deletions.length === 0 ? ids : entries.map(({ queueId }) => queueId)
  expect(new Set(entries.map(({ queueId, state }) => `${queueId} ${state.kind}`))).toEqual(
    new Set(kept.map((id) => `${id} finished`)),
  )
}

const of = (operation: string) => (target: Target) => target.operation === operation

describe('arguments', () => {
  afterAll(() => expect(uncaught).toEqual([]))

  test(
    'A60, A61: whatever mutations are given, they answer or refuse, and a refused one has changed nothing',
    async () => {
      const steps = fc.array(fc.tuple(callsOf(of('mutation')), turns), { minLength: 1, maxLength: 12 })
      await expectHolds(
        fc.asyncProperty(steps, async (calls) => {
          await using stage = await populated()
          for (const [call, turn] of calls) {
            const before = await stored(stage.world.stores)
            const result = await expectHarmless(stage, call)
            expectDiscreet(JSON.stringify(result))
            expect(isRefused(result) ? await stored(stage.world.stores) : before).toEqual(before)
            await go(stage.world, turn)
          }
          await expectLawful(stage)
        }),
        80,
      )
    },
    patience,
  )

  test(
    'A60: whatever queries and their fields are given, they answer and change nothing',
    async () => {
      await expectHolds(
        fc.asyncProperty(fc.array(callsOf(of('query')), { minLength: 1, maxLength: 30 }), async (calls) => {
          await using stage = await populated()
          const before = await stored(stage.world.stores)
          for (const call of calls) await expectHarmless(stage, call)
          expect(await stored(stage.world.stores)).toEqual(before)
          await expectLawful(stage)
        }),
        40,
      )
    },
    patience,
  )

  test(
    'A60, A10: whatever subscriptions are given, they begin or refuse, and nothing is left of them',
    async () => {
      await expectHolds(
        fc.asyncProperty(
          fc.array(fc.tuple(callsOf(of('subscription')), turns), { minLength: 1, maxLength: 10 }),
          async (calls) => {
            await using stage = await populated()
            for (const [call, turn] of calls) {
              await expectHarmless(stage, call)
              await go(stage.world, turn)
            }
            await until('nobody watches any more', () => stage.subscriptions === 0)
            await expectLawful(stage)
          },
        ),
        40,
      )
    },
    patience,
  )
})

test('A60: every argument and every input field of the schema is given something', () => {
  const calls = fc.sample(callsOf(() => true), { numRuns: 4_000, seed: 1 })
  const given = new Set(calls.flatMap(coordinatesOf))
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
  const all = types.flatMap((type) => {
    if (isInputObjectType(type)) return Object.keys(type.getFields()).map((field) => `${type.name}.${field}`)
    if (!isObjectType(type)) return []
    return Object.values(type.getFields()).flatMap(({ name, args }) =>
      args.map((argument) => `${type.name}.${name}(${argument.name})`),
    )
  })
  expect(all.filter((coordinate) => !given.has(coordinate))).toEqual([])
})

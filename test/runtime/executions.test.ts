import { expect, test } from 'vitest'
import { asIntentId, asScopeId, type IntentId } from '../../src/kernel/ids.ts'
import type { ReconcileToolExecution } from '../../src/runtime/harness.ts'
import { expectSettled } from '../support/laws.ts'
import { caller, ok, refusal, scopeId, World } from '../support/world.ts'

/** A session of which a run was cut off between the intent and the result of a call, as a new process finds it. */
async function crashed(effect: { readonly readOnly?: boolean } = {}) {
  const before = new World({ policies: [{ tool: '*', effect: 'allow' }] })
  await before.harness.start()
  before.tools.add('burn', effect)
  await before.session()
  const entry = await before.prompt('go')
  before.models.last.calls('burn', { what: 'it' }).finish('continue')
  await before.clock.settle()
  expect(before.tools.executions).toHaveLength(1)
  const world = await World.started({ stores: before.stores, clock: before.clock })
  world.tools.add('burn', effect)
  await world.clock.settle()
  return { world, entry }
}

const uncertain = async (world: World) => world.stores.executions.uncertain([(await world.load()).key], 10)

const reconcile = (world: World, intentId: IntentId, found: ReconcileToolExecution['found']) =>
  world.harness.reconcileToolExecution({ scopeId, intentId, found }, caller)

test('X60: a call that had begun when the process died is listed, and the session goes on', async () => {
  const { world, entry } = await crashed()
  expect((await world.entries())[0]?.state).toMatchObject({ status: 'FAILED', error: { code: 'INTERRUPTED' } })
  expect(await uncertain(world)).toMatchObject([{ toolName: 'burn', toolCallId: 'call_0', state: { kind: 'uncertain' } }])
  expect(await world.calls()).toMatchObject([{ status: 'UNCERTAIN', error: { code: 'OUTCOME_UNKNOWN' } }])
  expect(await world.types()).toContain('tool.uncertain')
  const next = await world.prompt('and?')
  expect(world.models.last.call.log.map(({ body }) => body)).toMatchObject([
    { kind: 'input' },
    { kind: 'step' },
    { kind: 'intent' },
    { kind: 'result', result: { status: 'UNCERTAIN' } },
    { kind: 'outcome' },
    { kind: 'input' },
  ])
  world.models.last.answer('Hm.')
  await world.clock.settle()
  await expectSettled(world, [entry, next])
})

test('X60: one that changes nothing is not listed', async () => {
  const { world } = await crashed({ readOnly: true })
  expect(await uncertain(world)).toEqual([])
  expect(await world.calls()).toMatchObject([{ status: 'CANCELLED' }])
})

test.each<ReconcileToolExecution['found']>([
  { outcome: 'SUCCEEDED', output: { burnt: true } },
  { outcome: 'FAILED', error: 'It was wet.' },
  { outcome: 'NOT_EXECUTED' },
])('X61: it is reconciled once, as %j, and the next context tells of it', async (found) => {
  const { world } = await crashed()
  const [execution] = await uncertain(world)
  const { intentId } = execution!
  const answers = await Promise.all([reconcile(world, intentId, found), reconcile(world, intentId, { outcome: 'NOT_EXECUTED' })])
  expect(answers.map((answer) => (answer.ok ? 'ok' : answer.refusal.code))).toEqual(['ok', 'RECONCILIATION_STATE'])
  expect(ok(answers[0])).toMatchObject({ state: { kind: 'reconciled', found: { outcome: found.outcome }, by: 'tester' } })
  expect(refusal(await reconcile(world, intentId, found))).toBe('RECONCILIATION_STATE')
  expect(await uncertain(world)).toEqual([])
  expect(await world.calls(), 'the part never changes').toMatchObject([{ status: 'UNCERTAIN' }])
  expect(await world.types()).toContain('tool.reconciled')
  await world.prompt('and?')
  expect(world.models.last.call.log.at(-2)?.body).toMatchObject({ kind: 'reconciled', toolCallId: 'call_0', found: { outcome: found.outcome } })
})

test('X62: what is not there, or in another scope, is not found; what makes no sense is refused', async () => {
  const { world } = await crashed()
  const [execution] = await uncertain(world)
  const { intentId } = execution!
  expect(refusal(await reconcile(world, asIntentId('nothing'), { outcome: 'NOT_EXECUTED' }))).toBe('NOT_FOUND')
  const elsewhere = { scopeId: asScopeId('elsewhere'), intentId, found: { outcome: 'NOT_EXECUTED' } } as const
  expect(refusal(await world.harness.reconcileToolExecution(elsewhere, caller))).toBe('NOT_FOUND')
  expect(refusal(await reconcile(world, intentId, { outcome: 'FAILED', error: '' }))).toBe('VALIDATION_FAILED')
  expect(await uncertain(world)).toHaveLength(1)
})

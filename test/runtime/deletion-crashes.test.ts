import { expect, test } from 'vitest'
import { asSessionId, asStorageKey } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { growOpen } from '../support/births.ts'
import { dyingStores } from '../support/dying-stores.ts'
import { expectErased } from '../support/erased.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, scopeId, World } from '../support/world.ts'

const gone = ['s', 'a', 'b', 'c']

/** A tree in which a run streams, one asks a person, and a prompt waits; and a session beside it. */
async function busyFamily() {
  const clock = virtualClock()
  const inner = memoryStores({ clock })
  const { stores, arm, calls } = dyingStores(inner)
  const world = await World.started({ stores, clock })
  world.tools.add('write')
  await world.session('top')
  await growOpen(inner, await world.load('top'), { s: { a: { c: {} }, b: {} }, beside: {} })
  await world.prompt('streams')
  world.models.last.start().delta('half')
  await world.prompt('waits')
  await world.prompt('asks', { sessionId: asSessionId('c') })
  world.models.last.calls('write', {}).finish('continue')
  await clock.settle()
  const keys = await Promise.all(gone.map(async (id) => (await world.load(id)).key))
  return { world, inner, clock, keys, arm, calls }
}

/** Nobody waits for the answer of a process that dies. */
const remove = (world: World): Promise<unknown> =>
  world.harness.deleteSession({ scopeId, sessionId: asSessionId('s') }, caller).catch(() => undefined)

async function callsOfDeletion(): Promise<number> {
  const { world, arm, calls, clock } = await busyFamily()
  arm(Infinity, 'before')
  void remove(world)
  await clock.settle()
  return calls()
}

test.each(['before', 'after'] as const)(
  'D5: a deletion is finished by the next start, whatever call the process dies %s',
  async (side) => {
    const count = await callsOfDeletion()
    expect(count).toBeGreaterThan(20)
    let undone = 0
    for (let at = 1; at <= count; at++) {
      const { world, inner, clock, keys, arm } = await busyFamily()
      arm(at, side)
      void remove(world)
      await clock.settle()
      const next = await World.started({ stores: inner, clock })
      next.models.onCall = (call) => call.answer('of the next')
      await clock.advance(60_000)
      const { key: scopeKey } = (await inner.scopes.find(asStorageKey(scopeId)))!
      const kinds = await Promise.all(gone.map(async (id) => (await inner.structure.slot(scopeKey, asSessionId(id))).kind))
      expect(new Set(kinds).size, `call ${at}`).toBe(1)
      const [kind] = kinds
      expect(['live', 'absent'], `call ${at}`).toContain(kind)
      const told = (await next.events()).filter(({ body }) => body.type === 'session.deleted')
      expect(told.map(({ sessionId }) => sessionId), `call ${at}`).toEqual(kind === 'absent' ? ['c', 'a', 'b', 's'] : [])
      if (kind === 'absent') await expectErased(inner, scopeKey, keys)
      else undone += 1
      expect((await next.load('top')).tree.descendants, `call ${at}`).toBe(kind === 'absent' ? 1 : 5)
    }
    // Until the reservation is sent nothing has happened; from then on nothing is undone.
    expect(undone).toBeLessThan(12)
  },
  60_000,
)

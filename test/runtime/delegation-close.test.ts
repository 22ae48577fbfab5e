import { expect, test } from 'vitest'
import type { LogEntry } from '../../src/domain/log/entry.ts'
import { asSessionId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { delegate, endsOf, expectTreeSettled, treeOf } from '../support/delegating.ts'
import { agents, followScripts, type Script, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, ok, scopeId, World } from '../support/world.ts'

const GRACE_MS = 10_000

/** Processes on the same stores, one after another. */
function servers() {
  const clock = virtualClock()
  const stores = memoryStores({ clock })
  const start = async (): Promise<World> => {
    const policies = [{ tool: 'delegate', effect: 'allow' }] as const
    const world = new World({ clock, stores, recovery: 'RESUME', subagents: agents, policies, limits: { maxSubagentDepth: 2 } })
    world.tools.add('touch')
    followScripts(world.models)
    await world.harness.start()
    await clock.settle()
    return world
  }
  /** Closes the process; how long that took. */
  const close = async ({ harness }: World): Promise<number> => {
    const since = clock.monotonic()
    let took = Infinity
    const closed = harness.close({ graceMs: GRACE_MS }).then(() => (took = clock.monotonic() - since))
    await clock.advance(2 * GRACE_MS)
    await closed
    return took
  }
  return { clock, start, close }
}

const asking: Script = delegate({ to: 'writer', script: { call: ['touch'], say: 'touched' } })

/** Lets the call of `touch` happen that somebody below asks for. */
async function allow(world: World): Promise<void> {
  const { scopeKey } = await world.load()
  const [request] = await world.stores.permissions.inbox(scopeKey, undefined, 9)
  if (!request) throw new Error('Nobody asks.')
  ok(await world.harness.respondToPermission({ scopeId, permissionId: request.permissionId, decision: 'ONCE' }, caller))
  await world.clock.settle()
  world.tools.last.answer('done')
  await world.clock.settle()
}

const ends = async (world: World) => {
  const tree = await treeOf(world)
  return Promise.all(tree.map(async ({ sessionId }) => (await endsOf(world, sessionId)).join()))
}

test('G105: a tree in which everything waits for people is left at once when the process stops, and goes on in the next one', async () => {
  const { start, close } = servers()
  const first = await start()
  await first.session()
  await first.prompt(textOf(delegate({ to: 'researcher', script: asking })))
  expect(await close(first)).toBe(0)
  const second = await start()
  expect(await ends(second)).toEqual(['running', 'running', 'running'])
  await allow(second)
  expect(await ends(second)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
  await expectTreeSettled(second)
})

test('G105: of a tree of which a part is at work nothing is left before that has had its time, and nothing fails', async () => {
  const { clock, start, close } = servers()
  const first = await start()
  await first.session()
  await first.session('other')
  const slow = { to: 'researcher', script: { hang: 'first' } } as const
  await first.prompt(textOf(delegate({ to: 'researcher', script: asking }, slow)))
  await first.prompt(textOf(delegate(slow)), { sessionId: asSessionId('other') })
  const isHanging = ({ body }: LogEntry) => body.kind === 'input' && body.text === textOf(slow.script)
  const call = first.models.calls.find(({ call: { log } }) => log.some(isHanging))
  clock.after(GRACE_MS / 2, () => call?.answer('found'))
  expect(await close(first)).toBe(GRACE_MS)
  const second = await start()
  expect(await ends(second)).toEqual(['running', 'running', 'running', 'COMPLETED'])
  await allow(second)
  expect(await ends(second)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED', 'COMPLETED'])
  await expectTreeSettled(second)
  expect(await endsOf(second, 'other')).toEqual(['running'])
})

import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { SessionKey } from '../../../src/kernel/ids.ts'
import type { Session, Work } from '../../../src/domain/session/session.ts'
import type { InstanceStore } from '../../../src/ports/stores/instances.ts'
import { contractSuite } from '../support/contract-suite.ts'
import { runIdOf } from '../support/rows.ts'
import { nextRow, NOW, type World } from '../support/world.ts'

const LONG_MS = 600_000

/** Stores that one process has alone have nothing to say of others. */
const shared = (run: (world: World, instances: InstanceStore) => Promise<void>) => async (world: World) => {
  if (world.stores.instances) await run(world, world.stores.instances)
}

/** A session with a run of `owner`, or with prompts that have waited since `updatedAt`. */
async function busy({ create, commit, reload }: World, { owner = null, updatedAt = NOW }: Partial<Session>): Promise<Session> {
  const session = await create()
  const running = { kind: 'running', runId: runIdOf(session, 0), run: 0, doing: 'THINKING', since: NOW } as const
  const work: Work = owner === null ? { kind: 'queued', since: NOW } : running
  await commit({ sessions: [nextRow(session, { work, owner, updatedAt })] })
  return reload(session)
}

const before = ({ key }: Session): SessionKey => (key - 1) as SessionKey

export const instancesSuite = contractSuite('processes that share a database', (test) => {
  test(
    'C94: a run is abandoned exactly while the lease of its process is over, or was given up',
    shared(async (world, instances) => {
      const owner = randomUUID()
      const session = await busy(world, { owner })
      const found = () => instances.abandoned({ idleMs: LONG_MS, after: before(session), limit: 1 })
      const abandoned = [{ key: session.key, revision: session.revision, hasRun: true }]
      expect(await found()).toEqual(abandoned)
      await instances.renew(owner, LONG_MS)
      expect(await found()).toEqual([])
      await instances.leave(owner)
      expect(await found()).toEqual(abandoned)
      await instances.renew(owner, 50)
      while ((await found()).length === 0);
      await instances.renew(owner, LONG_MS)
      await instances.renew(randomUUID(), LONG_MS)
      expect(await found()).toEqual([])
    }),
  )

  test(
    'C95: prompts that wait without a run are abandoned when their session has not changed for so long',
    shared(async (world, instances) => {
      const [old, recent] = [await busy(world, {}), await busy(world, { updatedAt: Date.now() })]
      const idle = await world.create()
      const found = async (idleMs: number) => {
        const all = await instances.abandoned({ idleMs, after: before(old), limit: 100 })
        return all.filter(({ key }) => [old.key, recent.key, idle.key].includes(key))
      }
      const waiting = ({ key, revision }: Session) => ({ key, revision, hasRun: false })
      expect(await found(LONG_MS)).toEqual([waiting(old)])
      expect(await found(0)).toEqual([waiting(old), waiting(recent)])
    }),
  )

  test(
    'C95: what is abandoned is told by key, from a key on, so many at a time',
    shared(async (world, instances) => {
      const sessions = [await busy(world, {}), await busy(world, { owner: randomUUID() }), await busy(world, {})]
      const keys = async (after: SessionKey) =>
        (await instances.abandoned({ idleMs: LONG_MS, after, limit: 2 })).map(({ key }) => key)
      expect(await keys(before(sessions[0]!))).toEqual([sessions[0]!.key, sessions[1]!.key])
      expect(await keys(sessions[1]!.key)).toEqual([sessions[2]!.key])
      expect((await instances.abandoned({ idleMs: LONG_MS, limit: 1 })).length).toBe(1)
    }),
  )

  test(
    'C96: each session that exists has its version',
    shared(async (world, instances) => {
      const [changed, fresh] = [await busy(world, {}), await world.create()]
      const keys = [fresh.key, changed.key, fresh.key, (fresh.key + 1_000_000) as SessionKey]
      const versions = await instances.versions(keys)
      expect(versions.toSorted((a, b) => a.key - b.key)).toEqual([
        { key: changed.key, revision: changed.revision },
        { key: fresh.key, revision: fresh.revision },
      ])
      expect(await instances.versions([])).toEqual([])
    }),
  )
})

import { randomUUID } from 'node:crypto'
import type { Session } from '../../src/domain/session/session.ts'
import { asSessionId, asSessionKey, asStorageKey, asWriteId } from '../../src/kernel/ids.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import { commitOf, type Population, SCOPE, sessionOf } from './population.ts'

const CHILDREN = 10

/** The id of the session at the top. */
export const TREE_ROOT = 'tree-0'

/** Fills empty stores with one tree, ten children a session, and with what the runs of its sessions would have left. */
export async function populateTree(stores: Stores, { sessions, turns }: Population): Promise<void> {
  const at = Date.now()
  const scope = await stores.scopes.ensure(asStorageKey(SCOPE), at)
  const firstKey = await stores.sessions.reserveKeys(sessions)
  const tree: Session[] = []
  const group: Commit[] = []
  for (let i = 0; i < sessions; i++) {
    const session = sessionOf({
      identity: { key: asSessionKey(firstKey + i), scopeKey: scope.key, sessionId: asSessionId(`tree-${i}`) },
      parent: i === 0 ? undefined : tree[Math.floor((i - 1) / CHILDREN)],
      generationSequence: i + 1,
      at,
      turns,
    })
    tree.push(session)
    group.push(commitOf(session, turns))
  }
  await stores.unit.commit(asWriteId(randomUUID()), group)
}

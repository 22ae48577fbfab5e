import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import { EventFold } from '../simulation/event-fold.ts'
import { expectConsistent } from '../simulation/laws/session-laws.ts'
import { expectIdle } from '../simulation/laws/settled-laws.ts'
import { holds, same } from '../simulation/law-broken.ts'
import { readSession } from '../simulation/session-state.ts'
import type { World } from './world.ts'

/** Checks, of a session in which nothing goes on any more, everything that must hold whatever happened to it. */
export async function expectSettled(world: World, acknowledged: readonly EntrySnapshot[], id = 's'): Promise<void> {
  const { key } = await world.load(id)
  const state = await readSession(world.stores, key)
  expectConsistent(state)
  expectIdle(state)
  const stored = new Set(state.entries.map(({ queueId }) => queueId))
  for (const { queueId } of acknowledged) holds(stored.has(queueId), 'R46: an acknowledged prompt is stored', queueId)

  const events = await world.events()
  // What was erased with a session is skipped, and keeps its number.
  const isWhole = !events.some(({ body }) => body.type === 'session.deleted')
  const numbers = events.map(({ sequence }) => sequence)
  const expected = isWhole ? events.map((_, index) => index + 1) : [...new Set(numbers)].toSorted((a, b) => a - b)
  same(numbers, expected, 'C5: events are numbered without gaps')
  const fold = new EventFold()
  for (const event of events) if (event.sessionKey === key) fold.apply(event)
  fold.expectTold(state)
}

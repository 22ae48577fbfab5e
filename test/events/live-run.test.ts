import { describe, expect, test } from 'vitest'
import { messageIdOf, type SessionKey } from '../../src/kernel/ids.ts'
import type { Content } from '../../src/domain/session/content.ts'
import { liveRuns } from '../../src/events/live-run.ts'
import type { LiveRunUpdate } from '../../src/ports/live-run.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import {
  admit,
  cancel,
  closePart,
  conclude,
  enqueue,
  failed,
  openPart,
  type Outcome,
  outcomeOf,
  resolve,
  runOf,
  type Step,
} from '../support/content.ts'
import { world } from './world.ts'

/** A session that is driven by commands, and somebody who follows its runs. */
async function conversation(stores: (inner: Stores) => Parameters<typeof liveRuns>[0]['stores'] = (inner) => inner) {
  const w = await world()
  const session = await w.session('s')
  let content: Content = { session, entries: [], run: null, open: [], permissions: [] }

  /** One commit for each command; each must be possible. */
  const act = async (...steps: readonly Step[]): Promise<void> => {
    for (const step of steps) await commit(outcomeOf(content, [step]))
  }
  const commit = async ({ answer, before, after, announced, writes, rollUps }: Outcome): Promise<void> => {
    expect(answer).toBe('accepted')
    const { revision, epoch, title } = before.session
    const row = { ...after.session, revision: revision + 1 }
    content = { ...after, session: row }
    const sessions = [{ row, expected: { revision, epoch, title } }]
    const events = await w.write({ sessions, rows: writes, rollUps, events: announced })
    w.tell(events.at(-1)?.sequence ?? 0, events)
  }
  const follow = (key: SessionKey = session.key) =>
    liveRuns({ subscriptions: w.hub, stores: stores(w.stores), clock: w.clock }).follow({
      scopeKey: w.scopeKey,
      key,
      path: session.place.path,
    })
  const part = (queueId: string, partIndex = 0) =>
    w.part(session, { runId: runOf(queueId), messageIndex: content.run?.assistantMessageIndex ?? 1, partIndex })
  return { w, act, follow, part }
}

const start = (queueId: string) => [enqueue(queueId), admit(queueId), resolve()] as const
const user = (queueId: string) => messageIdOf(runOf(queueId), 0)
const assistant = (queueId: string) => messageIdOf(runOf(queueId), 1)
const both = (queueId: string) => [user(queueId), assistant(queueId)]

/** A call of `next()` that can be looked at without waiting for it. */
function asked(updates: AsyncIterator<LiveRunUpdate>) {
  let answer: LiveRunUpdate | 'over' | undefined
  const done = updates.next().then(({ done: isOver, value }) => {
    answer = isOver === true ? ('over' as const) : value
    return answer
  })
  return { answer: () => answer, done }
}
const running = (queueId: string, messageIds: readonly string[]) => {
  return { runId: runOf(queueId), status: 'RUNNING', messageIds }
}

describe('a session that runs', () => {
  test('E13: first all messages, then those that changed, last the end of the run, and then it is over', async () => {
    const { w, act, follow, part } = await conversation()
    await act(...start('a'))
    const updates = await follow()
    expect(await asked(updates).done).toEqual(running('a', both('a')))

    const text = part('a')
    const opened = asked(updates)
    await act(openPart(0))
    await w.clock.advance(100)
    expect(opened.answer()).toEqual(running('a', [assistant('a')]))

    const grown = asked(updates)
    text.say('Hello')
    await w.clock.advance(100)
    expect(grown.answer()).toEqual(running('a', [assistant('a')]))

    const quiet = asked(updates)
    await w.clock.advance(10_000)
    expect(quiet.answer()).toBeUndefined()
    await act(closePart(0, 'Hello'))
    await act(conclude())
    expect(await quiet.done).toEqual(running('a', [assistant('a')]))
    const last = asked(updates)
    await w.clock.advance(100)
    expect(last.answer()).toEqual({ runId: runOf('a'), status: 'COMPLETED', messageIds: both('a') })
    expect([await asked(updates).done, w.hub.size, w.clock.pending]).toEqual(['over', 0, 0])
  })

  test('E14: at most ten updates a second, however much happens and however fast they are asked for', async () => {
    const { w, act, follow, part } = await conversation()
    await act(...start('a'))
    await act(openPart(0))
    const updates = await follow()
    const text = part('a')
    const at: number[] = []
    const read = async () => {
      for await (const { status } of updates) {
        at.push(w.clock.monotonic())
        if (status !== 'RUNNING') return
      }
    }
    const reading = read()
    for (let n = 0; n < 500; n++) {
      text.say('.')
      await w.clock.advance(2)
    }
    await act(conclude(failed))
    await w.clock.advance(100)
    await reading
    expect(at.length).toBeGreaterThanOrEqual(10)
    expect(at.length).toBeLessThanOrEqual(12)
    const gaps = at.slice(1).map((time, i) => time - at[i]!)
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(100)
  })

  test('E14: who does not ask gets one update for all that happened', async () => {
    const { w, act, follow, part } = await conversation()
    await act(...start('a'))
    const updates = await follow()
    await act(openPart(0))
    const text = part('a')
    for (let n = 0; n < 1000; n++) text.say('.')
    await w.clock.advance(1_000)
    expect(await asked(updates).done).toEqual(running('a', both('a')))
    await act(conclude(failed))
    await w.clock.advance(1_000)
    expect(await asked(updates).done).toEqual({ runId: runOf('a'), status: 'FAILED', messageIds: both('a') })
    expect(await asked(updates).done).toBe('over')
  })

  test('E13: the run that follows is another story', async () => {
    const { w, act, follow } = await conversation()
    await act(...start('a'))
    await act(enqueue('b'))
    const updates = await follow()
    await act(conclude())
    await act(admit('b'), resolve())
    await w.clock.advance(1_000)
    expect(await asked(updates).done).toMatchObject({ runId: runOf('a'), status: 'COMPLETED' })
    expect(await asked(updates).done).toBe('over')
  })

  test('E13: a run that ends while it is being looked at is told with its end', async () => {
    let end = async (): Promise<void> => {}
    const { w, act, follow } = await conversation((inner) => ({
      ...inner,
      messages: {
        parts: (keys) => inner.messages.parts(keys),
        pages: async (queries) => {
          await end()
          return inner.messages.pages(queries)
        },
      },
    }))
    await act(...start('a'))
    end = async () => {
      end = async () => {}
      await act(conclude())
    }
    const updates = await follow()
    const read: LiveRunUpdate[] = []
    const reading = (async () => {
      for await (const update of updates) read.push(update)
    })()
    await w.clock.advance(1_000)
    await reading
    expect(read.at(-1)).toMatchObject({ runId: runOf('a'), status: 'COMPLETED' })
    expect(read[0]!.messageIds).toEqual(both('a'))
  })
})

describe('a session that waits', () => {
  test('E15: while prompts only wait, so does the follower, and follows the run when it starts', async () => {
    const { w, act, follow } = await conversation()
    await act(enqueue('a'))
    const updates = await follow()
    const first = asked(updates)
    await w.clock.advance(60_000)
    expect(first.answer()).toBeUndefined()
    await act(admit('a'), resolve())
    expect(await first.done).toEqual(running('a', both('a')))
    await updates.return?.()
  })

  test('E15: when the waiting prompt is cancelled, it tells of the last run, if there is one', async () => {
    const { w, act, follow } = await conversation()
    await act(enqueue('a'))
    const updates = await follow()
    const first = asked(updates)
    await act(cancel('a'))
    expect(await first.done).toBe('over')

    await act(...start('b'))
    await act(conclude())
    await act(enqueue('c'))
    const later = await follow()
    const second = asked(later)
    await w.clock.settle()
    expect(second.answer()).toBeUndefined()
    await act(cancel('c'))
    expect(await second.done).toEqual({ runId: runOf('b'), status: 'COMPLETED', messageIds: both('b') })
    await w.clock.settle()
    expect([await asked(later).done, w.hub.size, w.clock.pending]).toEqual(['over', 0, 0])
  })

  test('E15: an idle session tells of its last run and is over; one without runs, or gone, tells nothing', async () => {
    const { w, act, follow } = await conversation()
    expect(await asked(await follow()).done).toBe('over')
    expect(await asked(await follow(4711 as SessionKey)).done).toBe('over')
    await act(...start('a'))
    await act(conclude(failed))
    await act(...start('b'))
    await act(conclude())
    const updates = await follow()
    expect(await asked(updates).done).toEqual({ runId: runOf('b'), status: 'COMPLETED', messageIds: both('b') })
    expect([await asked(updates).done, w.hub.size, w.clock.pending]).toEqual(['over', 0, 0])
  })

  test('E13: a run of many messages is told whole', async () => {
    const many = Array.from({ length: 450 }, (_, index) => ({ index, messageId: messageIdOf(runOf('a'), index) }))
    const { act, follow } = await conversation((inner) => ({
      ...inner,
      messages: {
        parts: (keys) => inner.messages.parts(keys),
        pages: async (queries) => {
          const [query] = queries
          const pages = await inner.messages.pages(queries.map((each) => ({ ...each, after: -1 })))
          const [known] = pages[0] ?? []
          const rows = known ? many.map((row) => ({ ...known, ...row })) : []
          return [rows.filter(({ index }) => index > (query?.after ?? -1)).slice(0, query?.limit)]
        },
      },
    }))
    await act(...start('a'))
    const updates = await follow()
    expect(await asked(updates).done).toEqual(running('a', many.map(({ messageId }) => messageId)))
    await updates.return?.()
  })
})

describe('ending', () => {
  test('E9: leaving detaches at once, while an update is due, and while the session is looked at', async () => {
    const { w, act, follow, part } = await conversation()
    await act(...start('a'))
    await act(openPart(0))
    const updates = await follow()
    expect(await asked(updates).done).toEqual(running('a', both('a')))
    part('a').say('Hello')
    const due = asked(updates)
    await w.clock.advance(50)
    await updates.return?.()
    expect([await due.done, w.hub.size]).toEqual(['over', 0])

    const early = await follow()
    await early.return?.()
    await w.clock.settle()
    expect([await asked(early).done, w.hub.size]).toEqual(['over', 0])
    await act(conclude())
    expect(w.clock.pending).toBe(0)
  })

  test('it is over when the subscriptions end, and fails with what the stores throw', async () => {
    const { w, act, follow } = await conversation()
    await act(enqueue('a'))
    const updates = await follow()
    const waiting = asked(updates)
    await w.clock.settle()
    w.hub.close()
    expect(await waiting.done).toBe('over')

    const broken = await conversation((inner) => ({
      ...inner,
      sessions: {
        findMany: async () => {
          throw new Error('no store')
        },
      },
    }))
    await expect((await broken.follow()).next()).rejects.toThrow('no store')
    expect(broken.w.hub.size).toBe(0)
  })
})

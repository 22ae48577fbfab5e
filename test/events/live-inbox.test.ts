import { describe, expect, test } from 'vitest'
import { asPermissionId, type PermissionId } from '../../src/kernel/ids.ts'
import type { Permission, PermissionState } from '../../src/domain/permission/permission.ts'
import { permissionSnapshotOf } from '../../src/domain/session/announce.ts'
import { liveInboxes } from '../../src/events/live-inbox.ts'
import type { InboxUpdate } from '../../src/ports/live-inbox.ts'
import type { PermissionStore } from '../../src/ports/stores/permissions.ts'
import { runA, world } from './world.ts'

type Inbox = Pick<PermissionStore, 'inbox'>

/** Requests that a test makes and answers, and somebody who follows them. */
async function requests(permissions: (inner: Inbox) => Inbox = (inner) => inner) {
  const w = await world()
  const session = await w.session('s')
  const rows = new Map<PermissionId, Permission>()

  const put = async (row: Permission): Promise<void> => {
    const op = rows.has(row.permissionId) ? 'update' : 'insert'
    rows.set(row.permissionId, row)
    const type = row.state.kind === 'pending' ? 'permission.requested' : 'permission.resolved'
    const body = { type, runId: runA, permission: permissionSnapshotOf(row) } as const
    const events = await w.write({
      rows: [{ table: 'permission', op, row }],
      events: [{ sessionKey: session.key, timestamp: w.clock.now(), body }],
    })
    w.tell(events.at(-1)?.sequence ?? 0, events)
  }
  const ask = (id: string, state: PermissionState = { kind: 'pending' }) =>
    put({
      scopeKey: w.scopeKey,
      sessionKey: session.key,
      ordinal: rows.size,
      permissionId: asPermissionId(id),
      runId: runA,
      kind: 'test',
      description: id,
      toolCallId: null,
      rememberKey: null,
      metadata: null,
      createdAt: w.clock.now() + rows.size,
      state,
    })
  const answer = async (id: string): Promise<void> => {
    const row = rows.get(asPermissionId(id))
    if (row) await put({ ...row, state: { kind: 'resolved', decision: 'ONCE', message: null, by: 'x', at: 0 } })
  }
  const follow = () =>
    liveInboxes({
      subscriptions: w.hub,
      stores: { permissions: permissions(w.stores.permissions) },
    }).follow({ scopeKey: w.scopeKey })
  return { w, session, ask, answer, follow }
}

/** A call of `next()` that can be looked at without waiting for it. */
function asked(updates: AsyncIterator<InboxUpdate>) {
  let answer: readonly string[] | 'over' | undefined
  const done = updates.next().then(({ done: isOver, value }) => {
    answer = isOver === true ? ('over' as const) : value.permissionIds
    return answer
  })
  done.catch(() => undefined)
  return { answer: () => answer, done }
}

const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `p${String(from + i).padStart(4, '0')}`)

describe('who follows an inbox', () => {
  test('E16: is told of all that wait, then of what changes, and of nothing else', async () => {
    const { w, session, ask, answer, follow } = await requests()
    await ask('answered')
    await ask('first')
    await answer('answered')
    await ask('second')
    const updates = await follow()
    expect(await asked(updates).done).toEqual(['first', 'second'])
    const quiet = asked(updates)
    await ask('before', { kind: 'resolved', decision: 'GRANTED_BEFORE', message: null, by: null, at: 0 })
    await w.commit(session, { type: 'grant.changed', rememberKey: 'x', change: 'GRANTED' })
    await w.clock.advance(60_000)
    expect(quiet.answer()).toBeUndefined()
    await answer('first')
    expect(await quiet.done).toEqual(['first'])
    await updates.return?.()
  })

  test('E16: an empty list is told as well', async () => {
    const { follow } = await requests()
    const updates = await follow()
    expect(await asked(updates).done).toEqual([])
    await updates.return?.()
  })

  test('E16: nothing falls between the list and what comes after it', async () => {
    let meanwhile = async (): Promise<void> => {}
    const { ask, answer, follow } = await requests((inner) => ({
      async inbox(...query) {
        const page = await inner.inbox(...query)
        await meanwhile()
        return page
      },
    }))
    await ask('old')
    const updates = await follow()
    await ask('between')
    meanwhile = async () => {
      await ask('new')
      await answer('old')
    }
    expect(await asked(updates).done).toEqual(['old', 'between'])
    const rest: string[] = []
    while (!(rest.includes('new') && rest.includes('old'))) rest.push(...((await asked(updates).done) as readonly string[]))
    expect(new Set(rest)).toEqual(new Set(['between', 'new', 'old']))
    await updates.return?.()
  })

  test('E17: who does not ask is told once of each, in the order in which they changed', async () => {
    const { w, ask, answer, follow } = await requests()
    const updates = await follow()
    expect(await asked(updates).done).toEqual([])
    for (const id of ['a', 'b', 'c']) await ask(id)
    for (const id of ['b', 'a']) await answer(id)
    await w.clock.settle()
    expect(await asked(updates).done).toEqual(['a', 'b', 'c'])
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
    await updates.return?.()
  })

  test('E17: no update has more than 200, and none is lost, in the list and behind it', async () => {
    const { w, ask, follow } = await requests()
    const all = names(0, 650)
    for (const id of all.slice(0, 450)) await ask(id)
    const updates = await follow()
    const read: (readonly string[])[] = []
    read.push((await asked(updates).done) as readonly string[])
    for (const id of all.slice(450)) await ask(id)
    await w.clock.settle()
    while (!read.flat().includes('p0649')) read.push((await asked(updates).done) as readonly string[])
    expect(read.every((update) => update.length <= 200)).toBe(true)
    expect([...new Set(read.flat())]).toEqual(all)
    await updates.return?.()
  })

  test('E17: of whoever does not read no more than 200 changes are remembered, and none is lost', async () => {
    const { w, ask, follow } = await requests()
    const updates = await follow()
    expect(await asked(updates).done).toEqual([])
    const all = names(0, 450)
    for (const id of all) {
      await ask(id)
      await w.clock.settle()
    }
    const read: (readonly string[])[] = []
    while (!read.flat().includes('p0449')) {
      read.push((await asked(updates).done) as readonly string[])
      await w.clock.settle()
    }
    expect(read.map(({ length }) => length)).toEqual([200, 200, 50])
    expect(read.flat()).toEqual(all)
    await updates.return?.()
  })

  test('E17: an inbox of exactly 200 is one update', async () => {
    const { w, ask, follow } = await requests()
    for (const id of names(0, 200)) await ask(id)
    const updates = await follow()
    expect(await asked(updates).done).toHaveLength(200)
    const next = asked(updates)
    await w.clock.settle()
    expect(next.answer()).toBeUndefined()
    await updates.return?.()
  })
})

describe('ending', () => {
  test('E9: leaving detaches at once: before asking, while the list is read, while waiting, and when full', async () => {
    let left = async (): Promise<void> => {}
    let reads = 0
    const { w, ask, follow } = await requests((inner) => ({
      async inbox(...query) {
        reads += 1
        await left()
        return inner.inbox(...query)
      },
    }))
    const early = await follow()
    await early.return?.()
    await w.clock.settle()
    expect([await asked(early).done, w.hub.size, reads]).toEqual(['over', 0, 0])

    for (const id of names(0, 201)) await ask(id)
    const reading = await follow()
    left = async () => void (await reading.return?.())
    expect(await asked(reading).done).toBe('over')
    await w.clock.settle()
    expect([w.hub.size, reads]).toEqual([0, 1])
    left = async () => {}

    const waiting = await follow()
    await asked(waiting).done
    await asked(waiting).done
    const next = asked(waiting)
    await w.clock.settle()
    await waiting.return?.()
    expect([await next.done, w.hub.size]).toEqual(['over', 0])

    const full = await follow()
    await asked(full).done
    await asked(full).done
    for (const id of names(300, 510)) await ask(id)
    await w.clock.settle()
    await full.return?.()
    await w.clock.settle()
    expect([await asked(full).done, w.hub.size]).toEqual(['over', 0])
  })

  test('E9: it is over when the subscriptions end, after what was heard; it fails with what the stores throw', async () => {
    const { w, ask, follow } = await requests()
    const updates = await follow()
    const unread = await follow()
    expect(await asked(updates).done).toEqual([])
    const waiting = asked(updates)
    await w.clock.settle()
    w.hub.close()
    expect(await waiting.done).toBe('over')
    await ask('late')
    expect([await asked(unread).done, await asked(unread).done]).toEqual([['late'], 'over'])

    const broken = await requests(() => ({
      async inbox() {
        throw new Error('no store')
      },
    }))
    await expect(asked(await broken.follow()).done).rejects.toThrow('no store')
    expect(broken.w.hub.size).toBe(0)
  })
})

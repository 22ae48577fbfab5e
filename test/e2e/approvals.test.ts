import { describe, expect, test } from 'vitest'
import { postgresUrl } from '../support/postgres.ts'
import { asked, enqueue, fileIn, inboxOf, respond, told, toldAtLast } from './approving.ts'
import { ask } from './client.ts'
import { newHome } from './home.ts'
import { CREATE } from './operations.ts'

const session = 'first'
const WRITE = 'write hello to notes.txt'
/** Less than the time that runs are given to end. */
const AT_ONCE_MS = 8_000

const postgres = await postgresUrl()

/** How it ends, and what it says, when the file has been written for the first time. */
const written = {
  status: 'IDLE',
  runs: [{ status: 'COMPLETED', error: null }],
  permissions: [{ decision: 'ONCE', decidedBy: 'local' }],
  uncertainToolExecutions: [],
  parts: [
    { toolName: 'write_file', status: 'COMPLETED', output: { path: 'notes.txt', bytes: 5, replaced: false } },
    { text: 'The tool write_file returned: {"path":"notes.txt","bytes":5,"replaced":false}' },
  ],
}

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (database) => {
  describe.skipIf(database === 'PostgreSQL' && postgres === undefined)('the real process', () => {
    test('V80: asks before it writes, tells the inbox, writes when somebody allows it, and reads without asking', async () => {
      await using home = await newHome(database)
      await using server = await home.start()
      const { url } = server
      const inbox = inboxOf(url)
      await ask(url, CREATE, { session })
      await enqueue(url, session, WRITE)
      const request = await asked(inbox)
      expect(request).toMatchObject({
        kind: 'tool',
        metadata: { toolName: 'write_file', input: { path: 'notes.txt', content: 'hello' } },
        session: { sessionId: session, status: 'AWAITING_PERMISSION' },
      })
      expect(await fileIn(home.folder, 'notes.txt')).toBeUndefined()

      const { permissionId } = request
      await respond(url, { permissionId, decision: 'ONCE' })
      const ended = await toldAtLast(url, session)
      expect(ended).toMatchObject(written)
      expect(ended.parts).toHaveLength(2)
      expect(await fileIn(home.folder, 'notes.txt')).toBe('hello')
      await inbox.first((update) => update.some((it) => it.permissionId === permissionId && it.state === 'RESOLVED'))
      await expect(respond(url, { permissionId, decision: 'ONCE' })).rejects.toThrow('PERMISSION_STATE')

      await ask(url, CREATE, { session: 'reading' })
      await enqueue(url, 'reading', 'list files then read notes.txt')
      expect(await toldAtLast(url, 'reading')).toMatchObject({
        runs: [{ status: 'COMPLETED' }],
        permissions: [],
        parts: [
          { toolName: 'list_files', output: { entries: [{ path: 'notes.txt', bytes: 5 }] } },
          { text: expect.stringContaining('notes.txt') as string },
          { toolName: 'read_file', status: 'COMPLETED' },
          { text: expect.stringContaining('hello') as string },
        ],
      })
      expect(inbox.received.flat().map((it) => it.permissionId)).toEqual([permissionId, permissionId])
      inbox.stop()
    }, 180_000)

    test('V80: a rejection with a message is told to the model, one without fails the run', async () => {
      await using home = await newHome(database)
      await using server = await home.start()
      const { url } = server
      for (const id of ['told', 'stopped']) await ask(url, CREATE, { session: id })

      await enqueue(url, 'told', WRITE)
      const { permissionId } = await asked(inboxOf(url))
      await respond(url, { permissionId, decision: 'REJECT', message: 'Not on a Sunday.' })
      expect(await toldAtLast(url, 'told')).toMatchObject({
        runs: [{ status: 'COMPLETED' }],
        parts: [
          { status: 'FAILED', output: null, error: { message: 'Not on a Sunday.' } },
          { text: expect.stringContaining('Not on a Sunday.') as string },
        ],
      })

      await enqueue(url, 'stopped', `${WRITE} then count to 3`)
      await respond(url, { permissionId: (await asked(inboxOf(url))).permissionId, decision: 'REJECT' })
      const stopped = await toldAtLast(url, 'stopped')
      expect(stopped.runs).toMatchObject([{ status: 'FAILED', error: { code: 'PERMISSION_REJECTED' } }])
      expect(stopped.parts).toHaveLength(1)
      expect(await fileIn(home.folder, 'notes.txt')).toBeUndefined()

    }, 180_000)

    test('V81: after kill -9 the same request waits, and its answer lets the file be written once', async () => {
      await using home = await newHome(database)
      await using first = await home.start()
      await ask(first.url, CREATE, { session })
      await enqueue(first.url, session, WRITE)
      const { permissionId } = await asked(inboxOf(first.url))
      const { runs: before } = await told(first.url, session)
      expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })

      await using second = await home.start()
      expect(await asked(inboxOf(second.url))).toMatchObject({ permissionId, session: { status: 'AWAITING_PERMISSION' } })
      expect(await fileIn(home.folder, 'notes.txt')).toBeUndefined()
      await respond(second.url, { permissionId, decision: 'ONCE' })
      const ended = await toldAtLast(second.url, session)
      expect(ended).toMatchObject(written)
      expect(ended.parts).toHaveLength(2)
      expect(ended.runs.map(({ runId }) => runId)).toEqual(before.map(({ runId }) => runId))
      expect(await fileIn(home.folder, 'notes.txt')).toBe('hello')
    }, 180_000)

    test('V81: SIGTERM does not wait for people, and the next server waits for them', async () => {
      await using home = await newHome(database)
      await using first = await home.start()
      await ask(first.url, CREATE, { session })
      await enqueue(first.url, session, WRITE)
      const inbox = inboxOf(first.url)
      const { permissionId } = await asked(inbox)
      const since = Date.now()
      expect(await first.end('SIGTERM')).toMatchObject({ code: 0, signal: null })
      expect(Date.now() - since).toBeLessThan(AT_ONCE_MS)
      await inbox.ended

      await using second = await home.start()
      expect(await asked(inboxOf(second.url))).toMatchObject({ permissionId })
      expect(await told(second.url, session)).toMatchObject({ status: 'AWAITING_PERMISSION', runs: [{ status: 'RUNNING' }] })
      await respond(second.url, { permissionId, decision: 'ONCE' })
      expect(await toldAtLast(second.url, session)).toMatchObject(written)
      expect(await fileIn(home.folder, 'notes.txt')).toBe('hello')
    }, 180_000)
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exampleOperations } from '../graphql/example-operations.ts'
import { postgresUrl } from '../support/postgres.ts'
import { enqueue, fileIn, inboxOf, respond } from './approving.ts'
import { ask, type Data, firstCursor, watch } from './client.ts'
import { ended, familyOf, requested, STORY, type Story, type StoryEvent, storyOf } from './delegating.ts'
import { newHome } from './home.ts'
import { ABORT, CREATE, LIVE_RUN, type LiveRun } from './operations.ts'

const session = 'first'
const postgres = await postgresUrl()

const example = (name: string) => {
  const found = exampleOperations.find((it) => it.name === name)
  if (!found) throw new Error(`There is no example ${name}.`)
  return found
}

const section = /\n## Delegation\n(.*?)\n## /s.exec(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'))?.[1] ?? ''
/** The operations and the answers that the README shows, in their order. */
const shown = (language: 'graphql' | 'json') =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, text = '']) => text)

/** Lets every delegation that is asked for begin, and everything else that asks happen, until nothing asks any more. */
function allowAll(url: string): { readonly stop: () => void } {
  const inbox = inboxOf(url)
  const answered = new Set<string>()
  void inbox.first((update) => {
    for (const { permissionId, state } of update) {
      if (state !== 'PENDING' || answered.has(permissionId)) continue
      answered.add(permissionId)
      void respond(url, { permissionId, decision: 'ONCE' })
    }
    return false
  }).catch(() => undefined)
  return inbox
}

test('V82: the README shows what happens: two subagents at once, one of which delegates again, each allowed over the API', async () => {
  await using home = await newHome('SQLite')
  await using server = await home.start()
  const { url } = server
  const [mutation = '', family = '', events = '', calls = ''] = shown('graphql')
  const [familyShown = '', eventsShown = '', callsShown = ''] = shown('json')
  await ask(url, CREATE, { session })
  const story = await storyOf(url, session)
  const after = await firstCursor(url)
  const watched = watch<Data>(url, events.replace('sessionId: "first"', `sessionId: "first", after: "${after}"`))
  await ask(url, mutation)

  const allow = async (description: string) =>
    respond(url, { permissionId: await requested(story, description), decision: 'ONCE' })
  await requested(story, 'Delegate to the subagent writer: count')
  await allow('Delegate to the subagent researcher')
  await requested(story, 'Delegate to the subagent writer: write')
  await allow('Delegate to the subagent writer: count')
  await ended(story, 1)
  await allow('Delegate to the subagent writer: write')
  const last = await requested(story, 'Call the tool write_file')
  expect(await ask(url, family)).toEqual(JSON.parse(familyShown))
  expect(await fileIn(home.folder, 'hello.txt')).toBeUndefined()

  await respond(url, { permissionId: last, decision: 'ONCE' })
  await ended(story, 0)
  const told = eventsShown.trim().split('\n').map((line) => JSON.parse(line) as Data)
  await watched.first(() => watched.received.length >= told.length)
  expect(watched.received).toEqual(told)
  expect(await ask(url, calls)).toEqual(JSON.parse(callsShown))
  expect(await fileIn(home.folder, 'hello.txt')).toBe('hello')
  story.stop()
  watched.stop()
}, 180_000)

test('V82: the examples of delegation do what the README shows', async () => {
  await using home = await newHome('SQLite')
  await using server = await home.start()
  const { url } = server
  await ask(url, CREATE, { session })
  const story = await storyOf(url, session)
  const inbox = allowAll(url)
  await ask(url, example('Delegate').source, example('Delegate').variables)
  await ended(story, 0)
  const family = await ask(url, example('Family').source, example('Family').variables)
  expect(family).toMatchObject({ session: { treeStatus: 'IDLE', descendantCount: 3 } })
  const delegated = await ask(url, example('Delegated').source, example('Delegated').variables)
  expect(JSON.stringify(delegated)).toContain('The subagent writer answered: The tool write_file returned:')
  expect(await fileIn(home.folder, 'hello.txt')).toBe('hello')
  inbox.stop()
  story.stop()
}, 180_000)

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (database) => {
  describe.skipIf(database === 'PostgreSQL' && postgres === undefined)('the real process', () => {
    test('V83: a live run shows what all subagents say, as they say it, and a tree shows at its root that they work', async () => {
      await using home = await newHome(database)
      await using server = await home.start()
      const { url } = server
      await ask(url, CREATE, { session })
      const story = await storyOf(url, session)
      const inbox = allowAll(url)
      await enqueue(url, session, 'delegate to writer: count to 40 slowly and delegate to researcher: delegate to writer: count to 30 slowly')
      await story.first(({ type }) => type === 'RUN_STARTED')
      const live = watch<LiveRun>(url, LIVE_RUN, { session })
      const texts = ({ messages }: LiveRun) =>
        messages.flatMap(({ role, parts }) => (role === 'ASSISTANT' ? parts.map(({ text = '' }) => text) : []))
      await allRunning(story, 4)
      const [root] = await familyOf(url, session)
      expect(root).toMatchObject({ status: 'BUSY', treeStatus: 'BUSY' })
      await live.ended
      const all = live.received.flatMap(texts)
      const grown = new Set(all.filter((text) => /^1 2\b[\d ]*$/.test(text)).map((text) => text.length))
      expect(grown.size).toBeGreaterThan(5)
      expect(all).toEqual(expect.arrayContaining([expect.stringMatching(/ 40$/), expect.stringMatching(/^1 2 .* 30$/)]))
      expect(live.received.at(-1)).toMatchObject({ status: 'COMPLETED' })
      inbox.stop()
      story.stop()
    }, 180_000)

    test('V84: a delegation that is rejected creates nothing: the model is told, or the run fails and takes what runs below with it', async () => {
      await using home = await newHome(database)
      await using server = await home.start()
      const { url } = server
      for (const id of ['told', 'stopped']) await ask(url, CREATE, { session: id })
      const told = await storyOf(url, 'told')
      await enqueue(url, 'told', 'delegate to writer: count to 3 then count to 2')
      const permissionId = await requested(told, 'Delegate to the subagent writer')
      await respond(url, { permissionId, decision: 'REJECT', message: 'Count yourself.' })
      await ended(told, 0)
      const [alone, ...none] = await familyOf(url, 'told')
      expect(none).toEqual([])
      expect(alone).toMatchObject({
        runs: [{ status: 'COMPLETED' }],
        parts: [
          { toolName: 'delegate', status: 'FAILED', error: { message: 'Count yourself.' } },
          { text: 'The subagent writer failed: Count yourself.' },
          { text: '1 2' },
        ],
      })

      const stopped = await storyOf(url, 'stopped')
      await enqueue(url, 'stopped', 'delegate to writer: wait 600 seconds and delegate to researcher: list files')
      await respond(url, { permissionId: await requested(stopped, 'Delegate to the subagent writer'), decision: 'ONCE' })
      await allRunning(stopped, 2)
      await respond(url, { permissionId: await requested(stopped, 'Delegate to the subagent researcher'), decision: 'REJECT' })
      await ended(stopped, 0)
      const [root, writer, ...others] = await familyOf(url, 'stopped')
      expect(others).toEqual([])
      expect(root).toMatchObject({ status: 'IDLE', treeStatus: 'IDLE', runs: [{ status: 'FAILED', error: { code: 'PERMISSION_REJECTED' } }] })
      expect(writer).toMatchObject({ agent: 'writer', runs: [{ status: 'CANCELLED' }] })
      for (const { stop } of [told, stopped]) stop()
    }, 180_000)

    test('V85: after kill -9 a tree goes on where it was: the same sessions, runs and requests, and everything is done once', async () => {
      await using home = await newHome(database)
      await using first = await home.start()
      await ask(first.url, CREATE, { session })
      const before = await storyOf(first.url, session)
      await enqueue(first.url, session, 'delegate to researcher: (delegate to writer: write hello to hello.txt) and delegate to writer: count to 60 slowly')
      for (const whom of ['researcher', 'writer: count', 'writer: write']) {
        const permissionId = await requested(before, `Delegate to the subagent ${whom}`)
        await respond(first.url, { permissionId, decision: 'ONCE' })
      }
      const permissionId = await requested(before, 'Call the tool write_file')
      const tree = await familyOf(first.url, session)
      expect(tree.map(({ agent, depth }) => [agent, depth])).toEqual([[null, 0], ['researcher', 1], ['writer', 2], ['writer', 1]])
      expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })
      expect(await fileIn(home.folder, 'hello.txt')).toBeUndefined()

      await using second = await home.start()
      const after = watch<StoryEvent>(second.url, STORY, { session, after: before.received.at(-1)?.cursor })
      await respond(second.url, { permissionId, decision: 'ONCE' })
      await ended(after, 0)
      const now = await familyOf(second.url, session)
      const identity = ({ sessionId, agent, runs }: (typeof now)[number]) => [sessionId, agent, runs.map(({ runId }) => runId)]
      expect(now.map(identity)).toEqual(tree.map(identity))
      for (const member of now) expect(member).toMatchObject({ status: 'IDLE', treeStatus: 'IDLE', runs: [{ status: 'COMPLETED' }] })
      expect(await fileIn(home.folder, 'hello.txt')).toBe('hello')
      const said = now[0]?.parts.map(({ text }) => text).join('\n')
      expect(said).toContain('The subagent researcher answered: The subagent writer answered: The tool write_file returned:')
      expect(said).toMatch(/The subagent writer answered: 1 2 .* 60$/m)
      after.stop()
    }, 180_000)

    test("V86: who stops a run stops all that works for it, and nobody else prompts a subagent's session", async () => {
      await using home = await newHome(database)
      await using server = await home.start()
      const { url } = server
      await ask(url, CREATE, { session })
      const story = await storyOf(url, session)
      const inbox = allowAll(url)
      await enqueue(url, session, 'delegate to researcher: (delegate to writer: wait 600 seconds) and delegate to writer: wait 600 seconds')
      await allRunning(story, 4)
      await ask(url, ABORT, { session })
      await ended(story, 0)
      const tree = await familyOf(url, session)
      expect(tree).toHaveLength(4)
      for (const member of tree) expect(member).toMatchObject({ status: 'IDLE', treeStatus: 'IDLE', runs: [{ status: 'CANCELLED' }] })
      for (const { sessionId } of tree.slice(1)) {
        await expect(enqueue(url, sessionId, 'hello')).rejects.toThrow('only the run that delegates to it can prompt it')
      }
      inbox.stop()
      story.stop()
    }, 180_000)
  })
})

/** Resolves when runs of this many sessions have begun to work. */
const allRunning = (story: Story, sessions: number): Promise<StoryEvent> =>
  story.first(() => new Set(story.received.filter(isRunning).map(({ sessionId }) => sessionId)).size === sessions)

const isRunning = ({ type }: StoryEvent): boolean => type === 'PROMPT_RUNNING'

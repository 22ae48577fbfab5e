import { expect, test } from 'vitest'
import { runServer, scratchFolder, startServer } from '../support/server-process.ts'
import { ask, firstCursor, watch } from './client.ts'
import {
  CONVERSATION,
  type Conversation,
  CREATE,
  ENQUEUE,
  type Event,
  EVENTS,
  isDelta,
  isFinished,
  isInterrupted,
} from './operations.ts'

const session = 'first'

interface Enqueued {
  readonly enqueuePrompt: { readonly entry: { readonly queueId: string } }
}

interface Edges<T> {
  readonly edges: readonly { readonly node: T }[]
}

const nodes = <T>({ edges }: Edges<T>): readonly T[] => edges.map(({ node }) => node)

test('V8: after kill -9 all that was acknowledged is there, the run that was cut and the queue go on', async () => {
  using folder = scratchFolder()
  await using first = await startServer({ folder: folder.path })
  await ask(first.url, CREATE, { session, title: 'The first' })
  const greeting = watch<Event>(first.url, EVENTS, { session, after: await firstCursor(first.url) })
  await ask(first.url, ENQUEUE, { session, text: 'hello' })
  const { cursor } = await greeting.first(isFinished)
  greeting.stop()
  await ask(first.url, ENQUEUE, { session, text: 'count to 60 slowly' })
  const waiting = await ask<Enqueued>(first.url, ENQUEUE, { session, text: 'remember that I waited' })
  const counting = watch<Event>(first.url, EVENTS, { session, after: cursor })
  await counting.first(isDelta)
  counting.stop()
  expect(await first.end('SIGKILL')).toMatchObject({ signal: 'SIGKILL' })

  await using second = await startServer({ folder: folder.path })
  const after = watch<Event>(second.url, EVENTS, { session, after: cursor })
  const last = waiting.enqueuePrompt.entry.queueId
  await after.first(({ __typename, queueId }) => __typename === 'PromptFinishedEvent' && queueId === last)

  const { session: found } = await ask<Conversation>(second.url, CONVERSATION, { session })
  expect(found).toMatchObject({ title: 'The first' })
  expect(found?.queue.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
  expect(nodes(found!.runs).map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED'])
  const answers = nodes(found!.messages).filter(({ role }) => role === 'ASSISTANT')
  expect(answers.map(({ parts }) => parts.map(({ status }) => status))).toEqual([['COMPLETED'], ['COMPLETED'], ['COMPLETED']])
  expect(answers[1]?.parts[0]?.text).toBe(Array.from({ length: 60 }, (_, index) => index + 1).join(' '))
  expect(after.received.filter(isInterrupted)).toHaveLength(1)

  const sequences = after.received.flatMap(({ sequence }) => (sequence === null ? [] : [sequence]))
  expect(sequences).toEqual(sequences.map((_, index) => sequences[0]! + index))
  after.stop()
  expect(await second.end('SIGTERM')).toMatchObject({ code: 0 })
}, 180_000)

test('V10: a second server on the same database is refused with one line, and the first goes on', async () => {
  using folder = scratchFolder()
  await using first = await startServer({ folder: folder.path })
  const second = await runServer({ folder: folder.path })
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr.trimEnd().split('\n')).toHaveLength(1)
  expect(second.stderr).toContain(`is in use by process ${first.pid}`)
  await ask(first.url, CREATE, { session })
}, 180_000)

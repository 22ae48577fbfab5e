import { expect } from 'vitest'
import type { EntrySnapshot, HarnessEvent } from '../../src/domain/event/event.ts'
import type { World } from './world.ts'

const runOf = ({ body }: HarnessEvent) => ('runId' in body ? body.runId : null)

/** Checks, of a session in which nothing goes on any more, everything that must hold whatever happened to it. */
export async function expectSettled(world: World, acknowledged: readonly EntrySnapshot[], id = 's'): Promise<void> {
  const session = await world.load(id)
  const entries = await world.entries(id)
  const runs = await world.runs(id)
  const events = await world.events()

  expect(session.work.kind, 'the session is idle').toBe('idle')
  expect(entries.map(({ state }) => state.kind).filter((kind) => kind !== 'finished')).toEqual([])
  expect(runs.map(({ state }) => state.kind).filter((kind) => kind !== 'finished')).toEqual([])
  expect(entries.map(({ queueId }) => queueId)).toEqual(expect.arrayContaining(acknowledged.map(({ queueId }) => queueId)))
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))

  const count = (type: string, key: 'queueId' | 'runId', value: string | null) =>
    events.filter(({ body }) => body.type === type && key in body && (body as Record<string, unknown>)[key] === value).length
  for (const { queueId } of entries) {
    expect(count('prompt.queued', 'queueId', queueId)).toBe(1)
    expect(count('prompt.finished', 'queueId', queueId)).toBe(1)
  }
  for (const run of runs) {
    expect(count('run.started', 'runId', run.runId)).toBe(1)
    expect(count('run.finished', 'runId', run.runId)).toBe(1)
    const mine = events.filter((event) => runOf(event) === run.runId && event.body.type !== 'tool.reconciled')
    expect(mine.at(-1)?.body.type, 'nothing of a run follows its end').toBe('run.finished')
    const entry = entries.find(({ queueId }) => queueId === run.queueId)
    const outcome = run.state.kind === 'finished' ? run.state.outcome.status : undefined
    expect(entry?.state).toMatchObject({ kind: 'finished', status: outcome, runId: run.runId })
  }
  const created = events.flatMap(({ body }) => (body.type === 'part.created' ? [body.partId] : []))
  const completed = events.flatMap(({ body }) => (body.type === 'part.completed' ? [body.partId] : []))
  expect(completed.toSorted()).toEqual(created.toSorted())
  for (const { parts } of await world.conversation(id)) {
    expect(parts.filter(({ status }) => ['PENDING', 'AWAITING_PERMISSION', 'RUNNING'].includes(status))).toEqual([])
  }
  const log = await world.stores.log.read(session.key, 0, 1_000)
  expect(log.map(({ index }) => index)).toEqual(log.map((_, index) => index))
  expect((await world.permissions(id)).filter(({ state }) => state.kind === 'pending')).toEqual([])
  for (const { runId } of runs) {
    const mine = log.filter((entry) => entry.runId === runId && entry.body.kind !== 'reconciled').map(({ body }) => body)
    const asked = mine.flatMap((body) => (body.kind === 'step' ? (body.calls ?? []) : []))
    const answered = mine.flatMap((body) => (body.kind === 'result' ? [body.toolCallId] : []))
    expect(answered.toSorted(), 'every call has one result').toEqual(expect.arrayContaining(asked.toSorted()))
    expect(new Set(answered).size).toBe(answered.length)
    const bodies = mine.map(({ kind }) => kind)
    expect(bodies.filter((kind) => kind === 'outcome')).toHaveLength(1)
    expect(bodies.at(-1)).toBe('outcome')
  }
}

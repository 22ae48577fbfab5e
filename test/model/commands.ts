import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { WhenBusy } from '../../src/domain/prompt/prompt.ts'
import { expectConsistent } from '../simulation/laws/session-laws.ts'
import { ok, refusal } from '../support/world.ts'
import { end, type Expectation, type Expectations, goOn, type Outcome, type SessionName, sessionNames } from './expectation.ts'
import { MAX_OUTSTANDING, type Subject } from './subject.ts'

type Command = fc.AsyncCommand<Expectations, Subject>
type Deed = (session: Expectation, subject: Subject, name: SessionName) => Promise<void>

interface DeedOptions {
  readonly title: string
  readonly deed: Deed
  readonly check?: (session: Expectation) => boolean
}

/** A command to one session, after which that session is as the reference model says. */
function command(name: SessionName, { title, deed, check = () => true }: DeedOptions): Command {
  return {
    check: (model) => check(model[name]),
    async run(model, subject) {
      await deed(model[name], subject, name)
      await expectAsModelled(model[name], subject, name)
    },
    toString: () => `${title}(${name})`,
  }
}

async function expectAsModelled(session: Expectation, subject: Subject, name: SessionName): Promise<void> {
  const state = await subject.state(name)
  expectConsistent(state)
  assert.equal(state.session.work.kind, session.running === undefined ? 'idle' : 'running')
  const stored = new Map(state.entries.map((entry) => [entry.queueId, entry.state]))
  const texts = [...session.finished.keys(), ...(session.running === undefined ? [] : [session.running]), ...session.waiting]
  assert.equal(stored.size, texts.length)
  for (const text of texts) {
    const entry = stored.get(subject.queueIdOf(text)!)
    const kind = session.finished.has(text) ? 'finished' : session.running === text ? 'running' : 'queued'
    assert.equal(entry?.kind, kind, text)
    if (entry?.kind === 'finished') assert.equal(entry.status, session.finished.get(text), text)
  }
}

const enqueue = (whenBusy: WhenBusy, isRequest: boolean): DeedOptions => ({
  title: `enqueue ${whenBusy}${isRequest ? ' as a request' : ''}`,
  deed: async (session, subject, name) => {
    const text = `prompt ${subject.inputs.size + 1}`
    const isBusy = session.running !== undefined
    const answer = await subject.enqueue(name, text, { whenBusy, ...(isRequest && { clientRequestId: text }) })
    if (session.waiting.length + (isBusy ? 1 : 0) >= MAX_OUTSTANDING) return assert.equal(refusal(answer), 'QUEUE_FULL')
    if (whenBusy === 'REJECT' && isBusy) return assert.equal(refusal(answer), 'SESSION_BUSY')
    subject.entries.set(text, ok(answer))
    if (whenBusy === 'INTERRUPT') {
      session.waiting.unshift(text)
      if (isBusy) end(session, 'CANCELLED')
      else goOn(session)
    } else if (isBusy) session.waiting.push(text)
    else session.running = text
  },
})

const repeat = (pick: number): DeedOptions => ({
  title: `repeat ${pick}`,
  deed: async (_, subject) => {
    const requests = [...subject.entries.keys()].filter((text) => subject.inputs.get(text)?.clientRequestId)
    const text = requests[pick % Math.max(1, requests.length)]
    if (text !== undefined) assert.equal(ok(await subject.repeat(text)).queueId, subject.queueIdOf(text))
  },
})

const reuse: DeedOptions = {
  title: 'reuse a request for another prompt',
  deed: async (_, subject, name) => {
    const used = [...subject.entries.keys()].find((text) => {
      const input = subject.inputs.get(text)
      return input?.clientRequestId !== undefined && input.sessionId === name
    })
    if (used === undefined) return
    assert.equal(refusal(await subject.enqueue(name, `not ${used}`, { clientRequestId: used })), 'VALIDATION_FAILED')
  },
}

const answer = (outcome: Exclude<Outcome, 'CANCELLED'>): DeedOptions => ({
  title: `answer ${outcome}`,
  check: ({ running }) => running !== undefined,
  deed: async (session, subject, name) => {
    const call = subject.call(name)
    if (outcome === 'COMPLETED') call.answer('answer 🎈')
    else call.fail(new Error('broken'))
    await subject.clock.settle()
    end(session, outcome)
  },
})

const stream: DeedOptions = {
  title: 'stream',
  check: ({ running }) => running !== undefined,
  deed: async (_, subject, name) => {
    const block = `block ${subject.clock.monotonic()}`
    subject.call(name).start('reasoning', block).delta('some ', block)
    await subject.clock.advance(450)
    subject.call(name).delta('more', block)
    await subject.clock.advance(20)
  },
}

const abort: DeedOptions = {
  title: 'abort',
  deed: async (session, subject, name) => {
    assert.equal(ok(await subject.abort(name)) === null, session.running === undefined)
    end(session, 'CANCELLED')
  },
}

const cancel = (pick: number): DeedOptions => ({
  title: `cancel ${pick}`,
  deed: async (session, subject, name) => {
    const all = [...subject.entries.keys()].filter((text) => subject.inputs.get(text)?.sessionId === name)
    const text = all[pick % Math.max(1, all.length)]
    if (text === undefined) return
    const wasCancelled = ok(await subject.cancel(name, subject.queueIdOf(text)!))
    assert.equal(wasCancelled, !session.finished.has(text))
    if (session.running === text) return end(session, 'CANCELLED')
    if (!wasCancelled) return
    session.finished.set(text, 'CANCELLED')
    session.waiting.splice(session.waiting.indexOf(text), 1)
  },
})

const nonsense: DeedOptions = {
  title: 'ask for what there is not',
  deed: async (_, subject, name) => {
    assert.equal(refusal(await subject.cancel(name, 'no such prompt')), 'NOT_FOUND')
    assert.equal(refusal(await subject.enqueue(name, '\uD83C')), 'VALIDATION_FAILED')
    assert.equal(refusal(await subject.createAgain(name)), 'VALIDATION_FAILED')
    ok(await subject.create(name))
  },
}

/** Runs do not survive their process; prompts that wait do, and go on in the next one. */
function restart(how: 'stopped' | 'killed'): Command {
  return {
    check: () => true,
    async run(model, subject) {
      await subject.restart(how)
      for (const name of sessionNames) end(model[name], 'FAILED')
      for (const name of sessionNames) await expectAsModelled(model[name], subject, name)
    },
    toString: () => `restart(${how})`,
  }
}

const deeds: fc.Arbitrary<DeedOptions> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom<WhenBusy>('ENQUEUE', 'ENQUEUE', 'REJECT', 'INTERRUPT'), fc.boolean())
      .map(([whenBusy, isRequest]) => enqueue(whenBusy, isRequest)),
  },
  { weight: 2, arbitrary: fc.constantFrom('COMPLETED' as const, 'FAILED' as const).map(answer) },
  { weight: 2, arbitrary: fc.constantFrom(stream, abort) },
  { weight: 2, arbitrary: fc.nat(20).map(cancel) },
  { weight: 1, arbitrary: fc.nat(20).map(repeat) },
  { weight: 1, arbitrary: fc.constantFrom(reuse, nonsense) },
)

/** Commands to two sessions and to their process. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 15, arbitrary: fc.tuple(fc.constantFrom(...sessionNames), deeds).map(([name, deed]) => command(name, deed)) },
  { weight: 1, arbitrary: fc.constantFrom('stopped' as const, 'killed' as const).map(restart) },
)

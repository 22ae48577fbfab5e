import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import type { EntrySnapshot } from '../../src/domain/event/event.ts'
import type { WhenBusy } from '../../src/domain/prompt/prompt.ts'
import { expectSettled } from '../support/laws.ts'
import { ok, refusal, World } from '../support/world.ts'

/** What the reference model expects of the session: which prompts wait, and which one runs. */
interface Expected {
  readonly waiting: string[]
  running: string | undefined
  readonly finished: Map<string, 'COMPLETED' | 'FAILED' | 'CANCELLED'>
}

interface Real {
  readonly world: World
  readonly entries: Map<string, EntrySnapshot>
}

type Command = fc.AsyncCommand<Expected, Real>

let prompts = 0

/** Once a run has ended, the next prompt that waits begins at once. */
const goOn = (model: Expected): void => {
  model.running = model.waiting.shift()
}

const end = (model: Expected, outcome: 'COMPLETED' | 'FAILED' | 'CANCELLED'): void => {
  if (model.running === undefined) return
  model.finished.set(model.running, outcome)
  goOn(model)
}

class Enqueue implements Command {
  readonly whenBusy: WhenBusy

  constructor(whenBusy: WhenBusy) {
    this.whenBusy = whenBusy
  }

  check = () => true

  async run(model: Expected, { world, entries }: Real): Promise<void> {
    const text = `prompt ${++prompts}`
    const isBusy = model.running !== undefined
    const answer = await world.enqueue(text, { whenBusy: this.whenBusy })
    await world.clock.settle()
    if (this.whenBusy === 'REJECT' && isBusy) {
      assert.equal(refusal(answer), 'SESSION_BUSY')
      return
    }
    if (model.waiting.length + (isBusy ? 1 : 0) >= 5) {
      assert.equal(refusal(answer), 'QUEUE_FULL')
      return
    }
    entries.set(text, ok(answer))
    if (this.whenBusy === 'INTERRUPT') {
      model.waiting.unshift(text)
      if (isBusy) end(model, 'CANCELLED')
      else goOn(model)
    } else if (isBusy) model.waiting.push(text)
    else model.running = text
  }

  toString = () => `enqueue(${this.whenBusy})`
}

class Answer implements Command {
  readonly outcome: 'COMPLETED' | 'FAILED'

  constructor(outcome: 'COMPLETED' | 'FAILED') {
    this.outcome = outcome
  }

  check = (model: Readonly<Expected>) => model.running !== undefined

  async run(model: Expected, { world }: Real): Promise<void> {
    if (this.outcome === 'COMPLETED') world.models.last.answer('answer')
    else world.models.last.fail(new Error('broken'))
    await world.clock.settle()
    end(model, this.outcome)
  }

  toString = () => `answer(${this.outcome})`
}

class Stream implements Command {
  check = (model: Readonly<Expected>) => model.running !== undefined

  async run(_: Expected, { world }: Real): Promise<void> {
    const block = `block ${++prompts}`
    world.models.last.start('text', block).delta('some ', block)
    await world.clock.advance(20)
  }

  toString = () => 'stream'
}

class Abort implements Command {
  check = () => true

  async run(model: Expected, { world }: Real): Promise<void> {
    const runId = await world.abort()
    assert.equal(runId === null, model.running === undefined)
    end(model, 'CANCELLED')
  }

  toString = () => 'abort'
}

class Cancel implements Command {
  readonly pick: number

  constructor(pick: number) {
    this.pick = pick
  }

  check = () => true

  async run(model: Expected, { world, entries }: Real): Promise<void> {
    const all = [...entries.keys()]
    const text = all[this.pick % Math.max(1, all.length)]
    const entry = text === undefined ? undefined : entries.get(text)
    if (!entry || text === undefined) return
    const wasCancelled = ok(await world.cancel(entry.queueId))
    await world.clock.settle()
    assert.equal(wasCancelled, !model.finished.has(text))
    if (model.running === text) end(model, 'CANCELLED')
    else if (wasCancelled) {
      model.finished.set(text, 'CANCELLED')
      model.waiting.splice(model.waiting.indexOf(text), 1)
    }
  }

  toString = () => `cancel(${this.pick})`
}

/** After every command the session is as the reference model says. */
class Check implements Command {
  readonly inner: Command

  constructor(inner: Command) {
    this.inner = inner
  }

  check = (model: Readonly<Expected>) => this.inner.check(model)

  async run(model: Expected, real: Real): Promise<void> {
    await this.inner.run(model, real)
    const { world, entries } = real
    const { work } = await world.load()
    assert.equal(work.kind, model.running === undefined ? 'idle' : 'running')
    const stored = new Map((await world.entries()).map((entry) => [entry.queueId, entry]))
    for (const [text, { queueId }] of entries) {
      const state = stored.get(queueId)?.state
      const kind = model.finished.has(text) ? 'finished' : model.running === text ? 'running' : 'queued'
      assert.equal(state?.kind, kind, text)
      if (state?.kind === 'finished') assert.equal(state.status, model.finished.get(text), text)
    }
  }

  toString = () => this.inner.toString()
}

test('Q41, Q44, Q45, R45: any sequence of commands leaves the session as a small reference model says', async () => {
  const command = fc
    .oneof(
      fc.constantFrom<WhenBusy>('ENQUEUE', 'ENQUEUE', 'REJECT', 'INTERRUPT').map((whenBusy) => new Enqueue(whenBusy)),
      fc.constantFrom('COMPLETED' as const, 'FAILED' as const).map((outcome) => new Answer(outcome)),
      fc.constant(new Stream()),
      fc.constant(new Abort()),
      fc.nat(20).map((pick) => new Cancel(pick)),
    )
    .map((inner) => new Check(inner))
  await fc.assert(
    fc.asyncProperty(fc.commands([command], { maxCommands: 30, size: 'max' }), async (commands) => {
      const world = await World.started({ limits: { maxOutstandingPromptsPerSession: 5 } })
      await world.session()
      const real: Real = { world, entries: new Map() }
      const setup = () => ({ model: { waiting: [], running: undefined, finished: new Map() }, real })
      await fc.asyncModelRun(setup, commands)
      world.models.onCall = (call) => call.answer('rest')
      if ((await world.load()).work.kind !== 'idle') world.models.last.answer('rest')
      await world.clock.settle()
      await expectSettled(world, [...real.entries.values()])
    }),
    { numRuns: 100 },
  )
})

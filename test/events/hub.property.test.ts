import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import type { HarnessEvent } from '../../src/domain/event/event.ts'
import { listensTo } from '../../src/events/audience.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { StoredSession } from '../../src/ports/stores/sessions.ts'
import type { EventsSubscription } from '../../src/ports/subscriptions.ts'
import type { VirtualClock } from '../support/virtual-clock.ts'
import { type TruePart, Watcher } from './watcher.ts'
import { type Fate, type Wire, wire } from './wire.ts'
import { note, notes, only, type PartHandle, type World, world } from './world.ts'

type Step =
  | { readonly do: 'note'; readonly session: number }
  | { readonly do: 'burst'; readonly session: number }
  | { readonly do: 'open'; readonly session: number }
  | { readonly do: 'say'; readonly part: number; readonly text: string }
  | { readonly do: 'complete'; readonly part: number }
  | { readonly do: 'deliver'; readonly which: number; readonly fate: Fate }
  | { readonly do: 'deltas'; readonly fate: Fate }
  | { readonly do: 'subscribe'; readonly choice: number; readonly deltas: boolean }
  | { readonly do: 'pull'; readonly watcher: number; readonly count: number }
  | { readonly do: 'resume'; readonly watcher: number }
  | { readonly do: 'wait'; readonly ms: number }

const index = fc.nat({ max: 5 })
const fate = fc.constantFrom<Fate>('arrive', 'arrive', 'arrive', 'get lost', 'arrive twice', 'arrive empty')
const text = fc.constantFrom('a', 'Hello ', 'Grüße', '👋', '日本', '.', 'x'.repeat(50))

const quiet: fc.Arbitrary<Step>[] = [
  fc.record({ do: fc.constant('note' as const), session: index }),
  fc.record({ do: fc.constant('open' as const), session: index }),
  fc.record({ do: fc.constant('say' as const), part: index, text }),
  fc.record({ do: fc.constant('say' as const), part: index, text }),
  fc.record({ do: fc.constant('complete' as const), part: index }),
  fc.record({ do: fc.constant('deliver' as const), which: index, fate }),
  fc.record({ do: fc.constant('deliver' as const), which: fc.constant(0), fate }),
  fc.record({ do: fc.constant('subscribe' as const), choice: index, deltas: fc.boolean() }),
  fc.record({ do: fc.constant('pull' as const), watcher: index, count: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constant('resume' as const), watcher: index }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 3, 10, 1_000) }),
]
const burst = fc.record({ do: fc.constant('burst' as const), session: index })
const steps = (...more: fc.Arbitrary<Step>[]) =>
  fc.array(fc.oneof(...quiet, ...more), { minLength: 20, maxLength: 120 })
const delays = fc.infiniteStream(fc.constantFrom(0, 0, 1, 2, 5))

/** Stores that take their time, before and after they have looked. */
function slowStores(clock: () => VirtualClock, pauses: Iterator<number>) {
  const pause = () => clock().sleep(Number(pauses.next().value))
  const slow = async <T>(ask: () => Promise<T>): Promise<T> => {
    await pause()
    const answer = await ask()
    await pause()
    return answer
  }
  return ({ scopes, events }: Stores): Pick<Stores, 'scopes' | 'events'> => ({
    scopes: { ...scopes, findMany: (keys) => slow(() => scopes.findMany(keys)) },
    events: {
      ...events,
      read: (query) => slow(() => events.read(query)),
      bounds: (scopeKey) => slow(() => events.bounds(scopeKey)),
    },
  })
}

interface Part extends PartHandle {
  readonly session: StoredSession
}

interface Subscribed {
  readonly watcher: Watcher
  readonly subscription: Partial<EventsSubscription>
  readonly from: number
}

class Play {
  readonly #w: World
  readonly #wire: Wire
  readonly #sessions: readonly StoredSession[]
  readonly #log: HarnessEvent[] = []
  readonly #open: Part[] = []
  readonly #truth = new Map<string, TruePart>()
  readonly #subscribed: Subscribed[] = []
  #parts = 0
  #hasBurst = false
  #hasLostDeltas = false

  constructor(w: World, signals: Wire, sessions: readonly StoredSession[]) {
    this.#w = w
    this.#wire = signals
    this.#sessions = sessions
  }

  async run(script: readonly Step[]): Promise<void> {
    for (const step of script) await this.#step(step)
    await this.#settle()
    this.#judge()
    await this.#leave()
  }

  async #step(step: Step): Promise<void> {
    switch (step.do) {
      case 'note':
        return this.#committed(this.#w.commit(this.#session(step.session), note(0)))
      case 'burst':
        this.#hasBurst = true
        return this.#committed(this.#w.commit(this.#session(step.session), ...notes(1, 150)))
      case 'open': {
        const session = this.#session(step.session)
        const part = { ...this.#w.part(session, { partIndex: (this.#parts += 1) }), session }
        this.#truth.set(part.address.partId, { partId: part.address.partId, text: part.text })
        await this.#committed(part.open())
        this.#open.push(part)
        return
      }
      case 'say':
        return this.#open[step.part % this.#open.length]?.say(step.text)
      case 'complete': {
        const [part] = this.#open.splice(step.part % Math.max(1, this.#open.length), 1)
        return part && this.#committed(part.complete())
      }
      case 'deliver':
        return this.#wire.deliver(step.which, step.fate)
      case 'deltas':
        this.#hasLostDeltas ||= step.fate === 'get lost'
        return this.#wire.setDeltaFate(step.fate)
      case 'subscribe':
        return this.#subscribe(step.choice, step.deltas)
      case 'pull':
        return this.#subscribed[step.watcher]?.watcher.pull(step.count)
      case 'resume':
        return this.#resume(this.#subscribed[step.watcher])
      case 'wait':
        return this.#w.clock.advance(step.ms)
    }
  }

  #session(which: number): StoredSession {
    return this.#sessions[which % this.#sessions.length]!
  }

  async #committed(events: Promise<readonly HarnessEvent[]>): Promise<void> {
    this.#log.push(...(await events))
  }

  async #subscribe(choice: number, deltas: boolean): Promise<void> {
    const session = this.#session(choice)
    const subscription = { deltas, ...(choice < 2 ? {} : only(session, choice % 2 === 0)) }
    const from = choice === 5 ? Math.floor(this.#log.length / 2) : this.#log.length
    const watcher = new Watcher(this.#truth, from, () => !deltas || this.#hasBurst || this.#hasLostDeltas)
    this.#subscribed.push({ watcher, subscription, from })
    await this.#attach(watcher, { ...subscription, ...(from < this.#log.length && { after: from }) })
  }

  async #resume(subscribed: Subscribed | undefined): Promise<void> {
    if (!subscribed) return
    const { watcher, subscription } = subscribed
    await watcher.detach()
    watcher.interrupted()
    await this.#attach(watcher, { ...subscription, after: watcher.cursor })
  }

  async #attach(watcher: Watcher, subscription: Partial<EventsSubscription>): Promise<void> {
    // One who has something to catch up with may miss deltas of parts that begin meanwhile.
    const wholeAfter = (subscription.after ?? this.#log.length) < this.#log.length ? Infinity : this.#log.length
    let updates: Awaited<ReturnType<World['subscribe']>> | undefined
    const attaching = this.#w.subscribe(subscription).then((them) => {
      updates = them
    })
    while (!updates) await this.#w.clock.advance(1)
    await attaching
    watcher.attach(updates, wholeAfter)
  }

  /** Everything that still can arrive, arrives; everybody reads to the end. */
  async #settle(): Promise<void> {
    for (const { watcher } of this.#subscribed) watcher.pull(2_000 + this.#log.length * 2)
    await this.#w.clock.advance(3_000)
  }

  #judge(): void {
    for (const { watcher, subscription, from } of this.#subscribed) {
      assert.deepEqual(watcher.problems, [])
      const expected = this.#log.filter(({ sequence, path }) => sequence > from && listensTo(subscription, path))
      assert.deepEqual(sequencesOf(watcher.events), sequencesOf(expected))
      for (const part of this.#open) {
        const sees = subscription.deltas === true && listensTo(subscription, part.session.place.path)
        this.#judgeText(part, sees ? watcher.textOf(part.address.partId) : undefined)
      }
    }
  }

  /** Of a part that streams, the hub knows nothing or the text, and who has caught up knows what the hub knows. */
  #judgeText(part: Part, seen: string | undefined): void {
    const known = this.#w.hub.liveText({ ...part.address, sessionKey: part.session.key })
    if (!this.#hasLostDeltas && !this.#hasBurst) assert.equal(known ?? '', part.text())
    if (known !== undefined && !this.#hasLostDeltas) assert.equal(known, part.text())
    if (known !== undefined && seen !== undefined) assert.equal(seen, known)
  }

  async #leave(): Promise<void> {
    for (const part of this.#open) await this.#w.record(part.session, part.completed)
    for (const { watcher } of this.#subscribed) await watcher.detach()
    assert.equal(this.#w.hub.size, 0)
    await this.#w.clock.advance(3_000)
    assert.equal(this.#w.clock.pending, 0)
  }
}

const sequencesOf = (events: readonly HarnessEvent[]) => events.map(({ sequence }) => sequence)

async function play(script: readonly Step[], pauses: Iterator<number>): Promise<void> {
  const signals = wire()
  const w: World = await world({ transport: signals.transport, stores: slowStores(() => w.clock, pauses) })
  const root = await w.session('root')
  const child = await w.session('child', root)
  const sessions = [root, child, await w.session('grandchild', child), await w.session('other')]
  await new Play(w, signals, sessions).run(script)
}

const rounds = { numRuns: 100 }

test('E1, E2, E3, E4, E5: whatever becomes of signals, who keeps up gets each event once and all text', async () => {
  await fc.assert(fc.asyncProperty(steps(), delays, play), rounds)
})

test('E1, E3, E4, E6: who falls behind gets each event once, and texts that are right', async () => {
  await fc.assert(fc.asyncProperty(steps(burst, burst), delays, play), rounds)
})

test('E1, E11: lost and repeated deltas never make a text wrong', async () => {
  const deltas = fc.record({ do: fc.constant('deltas' as const), fate })
  await fc.assert(fc.asyncProperty(steps(burst, deltas, deltas), delays, play), rounds)
})

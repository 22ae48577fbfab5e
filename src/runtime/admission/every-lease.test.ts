import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delegatedRun } from '../../../test/support/delegated-run.ts'
import { ManualAdmission } from '../../../test/support/manual-admission.ts'
import { virtualClock } from '../../../test/support/virtual-clock.ts'
import { asScopeKey, asSessionKey } from '../../kernel/ids.ts'
import { Orphans } from '../orphans.ts'
import { acquireLease, type HeldLease } from './acquire-lease.ts'

const DEADLINE_MS = 1_000

/** What may happen next, to one of the leases, sessions and scopes that there are. */
const anyEvent = fc.record({
  what: fc.constantFrom(
    'ask',
    'admit',
    'refuse',
    'abort',
    'close',
    'succeed',
    'fail',
    'releaseSession',
    'releaseScope',
    'releaseAll',
    'wait',
  ),
  which: fc.nat({ max: 5 }),
  /** Whether everything that needs no time happens before the next event. */
  settles: fc.boolean(),
})
type Event = typeof anyEvent extends fc.Arbitrary<infer T> ? T : never

interface AskingRun {
  readonly controller: AbortController
  lease?: HeldLease
}

class LeaseWorld {
  readonly clock = virtualClock()
  readonly orphans = new Orphans()
  readonly admission = new ManualAdmission()
  readonly admitted = new Set<number>()
  readonly #refused = new Set<number>()
  readonly #runs: AskingRun[] = []
  readonly #pending: Promise<unknown>[] = []

  happen({ what, which }: Event): void | Promise<void> {
    const asked = this.admission.asked[which]
    const run = this.#runs[which]
    const isAnswered = this.admitted.has(which) || this.#refused.has(which)
    switch (what) {
      case 'ask':
        return this.#ask()
      case 'admit':
        if (!asked || isAnswered) return
        this.admitted.add(which)
        return asked.admit()
      case 'refuse':
        if (!asked || isAnswered) return
        this.#refused.add(which)
        return asked.refuse()
      case 'abort':
        return run?.controller.abort(new Error('stop'))
      case 'close':
        return this.#wait(run?.lease?.close())
      case 'succeed':
        return asked?.closes.at(-1)?.resolve()
      case 'fail':
        return asked?.closes.at(-1)?.reject(new Error('busy'))
      case 'releaseSession':
        return this.#wait(this.orphans.release({ sessionKey: asSessionKey(which) }))
      case 'releaseScope':
        return this.#wait(this.orphans.release({ scopeKey: asScopeKey(which % 2) }))
      case 'releaseAll':
        return this.#wait(this.orphans.release())
      case 'wait':
        return this.clock.advance(DEADLINE_MS)
    }
  }

  /** Everybody answers, every run is over, and every close succeeds from now on. */
  async end(): Promise<void> {
    this.admission.asked.forEach((asked, which) => {
      if (this.#refused.has(which)) return
      this.admitted.add(which)
      asked.admit()
    })
    this.admission.onClose = async () => {}
    for (const { controller } of this.#runs) controller.abort(new Error('over'))
    await this.clock.settle()
    // A close that failed is tried again, so what is under way is ended as often as it begins anew.
    for (let tries = 0; tries < 3; tries++) {
      this.#wait(this.orphans.release())
      await this.clock.settle()
      for (const { closes } of this.admission.asked) for (const close of closes) close.resolve()
      await this.clock.settle()
    }
    await this.clock.advance(2 * DEADLINE_MS)
    await Promise.all(this.#pending)
  }

  get unclosed(): number {
    return [...this.admitted].filter((which) => this.admission.asked[which]?.closed === 0).length
  }

  #ask(): void {
    const controller = new AbortController()
    const run: AskingRun = { controller }
    const number = this.#runs.push(run) - 1
    const { admission, clock, orphans } = this
    const log = { info: () => {}, warn: () => {}, error: () => {} }
    const deps = { admission, clock, log, orphans, closeDeadlineMs: DEADLINE_MS }
    const owner = { scopeKey: asScopeKey(number % 2), sessionKey: asSessionKey(number) }
    const acquired = acquireLease(deps, owner, delegatedRun(controller.signal, `r${number}`))
    this.#wait(acquired.then((lease) => (run.lease = lease)))
  }

  #wait(work: Promise<unknown> | undefined): void {
    if (work) this.#pending.push(work.catch(() => undefined))
  }
}

test('G84: whatever happens in whatever order, a lease is closed once, and has an owner until then', async () => {
  const property = fc.asyncProperty(fc.array(anyEvent, { maxLength: 60, size: 'max' }), async (events) => {
    const world = new LeaseWorld()
    for (const event of events) {
      const passing = world.happen(event)
      if (passing) await passing
      if (event.settles) await world.clock.settle()
      expect(world.orphans.size, 'a lease without an owner').toBeGreaterThanOrEqual(world.unclosed)
    }
    await world.end()
    expect(world.orphans.size).toBe(0)
    world.admission.asked.forEach(({ closed, mostClosing }, which) => {
      expect(closed).toBe(world.admitted.has(which) ? 1 : 0)
      expect(mostClosing).toBeLessThanOrEqual(1)
    })
    expect(world.clock.pending).toBe(0)
  })
  await fc.assert(property, { numRuns: 300 })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { asSessionId } from '../../src/kernel/ids.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { delegate } from '../support/delegating.ts'
import { type AskedAdmission, ManualAdmission } from '../support/manual-admission.ts'
import type { ManualCall } from '../support/manual-model.ts'
import { mortalStores } from '../support/mortal-stores.ts'
import { agents, followScripts, textOf } from '../support/scripted-runs.ts'
import { virtualClock } from '../support/virtual-clock.ts'
import { caller, scopeId, World } from '../support/world.ts'

const RUNS = Number(process.env['MODEL_RUNS'] ?? 60)
const limits = { abortDeadlineMs: 1_000, maxSubagentDepth: 2 }
const roots = ['a', 'b'] as const

const anyEvent = fc.record({
  what: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('delegate', 'admit', 'answer', 'wait') },
    { weight: 2, arbitrary: fc.constantFrom('refuse', 'abort', 'break', 'mend') },
    { weight: 1, arbitrary: fc.constantFrom('fence', 'retire', 'restart', 'crash') },
  ),
  which: fc.nat({ max: 3 }),
  /** Whether everything that needs no time happens before the next event. */
  settles: fc.boolean(),
})
type Event = typeof anyEvent extends fc.Arbitrary<infer T> ? T : never

/** Processes one after another, whose application answers late, never, or not at all. */
class AdmissionWorld {
  readonly clock = virtualClock()
  readonly stores = memoryStores({ clock: this.clock })
  readonly asked: AskedAdmission[] = []
  readonly admitted = new Set<AskedAdmission>()
  /** Asked by processes that have died since. */
  readonly dead = new Set<AskedAdmission>()
  readonly #answered = new Set<AskedAdmission>()
  readonly #hanging: ManualCall[] = []
  #works = true
  #isOver = false
  #world: World | undefined
  #kill = () => {}

  get world(): World {
    if (!this.#world) throw new Error('It has not begun.')
    return this.#world
  }

  async begin(): Promise<void> {
    const { stores, kill } = mortalStores(this.stores)
    this.#kill = kill
    const admission = new ManualAdmission()
    admission.onAcquire = (asked) => {
      this.asked.push(asked)
      if (this.#isOver) this.#answer(asked, () => this.#admit(asked))
    }
    admission.onClose = async () => {
      if (!this.#works) throw new Error('busy')
    }
    const policies = [{ tool: '*', effect: 'allow' }] as const
    const options = { limits, policies, subagents: agents, recovery: 'RESUME', delegatedRunAdmission: admission } as const
    this.#world = new World({ clock: this.clock, stores, ...options })
    followScripts(this.#world.models)
    const follow = this.#world.models.onCall
    this.#world.models.onCall = (call) => {
      this.#hanging.push(call)
      follow?.(call)
    }
    await this.#world.harness.start()
    await this.clock.settle()
  }

  happen({ what, which }: Event): void | Promise<void> {
    const { harness } = this.world
    const sessionId = asSessionId(roots[which % roots.length] ?? 'a')
    switch (what) {
      case 'delegate': {
        const script = delegate({ to: 'writer', script: which < 2 ? { hang: 'first' } : { say: 'done' } })
        return void this.world.enqueue(textOf(which === 3 ? delegate({ to: 'writer', script }) : script), { sessionId })
      }
      case 'admit':
        return this.#open(which, (asked) => this.#admit(asked))
      case 'refuse':
        return this.#open(which, (asked) => asked.refuse())
      case 'answer':
        return void this.#hanging.at(-1 - which)?.answer('found')
      case 'wait':
        return this.clock.advance(700 * (which + 1))
      case 'abort':
        return void harness.abortRun({ scopeId, sessionId }, caller)
      case 'break':
      case 'mend':
        this.#works = what === 'mend'
        return
      case 'fence':
        return void harness.fenceScope({ scopeId, reason: 'To be sure.' }, caller)
      case 'retire':
        return void harness.retireScope({ scopeId }, caller).catch(() => undefined)
      case 'restart':
        return this.#restart()
      case 'crash':
        return this.#crash()
    }
  }

  /** Everybody answers, everything is closed, and the last process ends. */
  async end(): Promise<void> {
    this.#agree()
    for (const id of roots) void this.world.harness.abortRun({ scopeId, sessionId: asSessionId(id) }, caller)
    await this.clock.advance(60_000)
    await this.#close()
  }

  async #restart(): Promise<void> {
    this.#agree()
    await this.#close()
    this.#isOver = false
    await this.begin()
  }

  #crash(): Promise<void> {
    this.#kill()
    for (const asked of this.asked) this.dead.add(asked)
    return this.begin()
  }

  /** From now on everything is let in, and closed. */
  #agree(): void {
    this.#works = true
    this.#isOver = true
    for (const asked of this.asked) this.#answer(asked, () => this.#admit(asked))
  }

  async #close(): Promise<void> {
    const closed = Promise.allSettled([this.world.harness.close({ graceMs: 5_000 })])
    await this.clock.advance(60_000)
    const [result] = await closed
    if (result.status === 'rejected') throw result.reason
  }

  #admit(asked: AskedAdmission): void {
    this.admitted.add(asked)
    asked.admit()
  }

  #open(which: number, answer: (asked: AskedAdmission) => void): void {
    const asked = this.asked.filter((one) => !this.#answered.has(one)).at(-1 - which)
    if (asked) this.#answer(asked, () => answer(asked))
  }

  #answer(asked: AskedAdmission, answer: () => void): void {
    if (this.#answered.has(asked)) return
    this.#answered.add(asked)
    answer()
  }
}

/** No run of a child without a lease, and none that completed before its lease was closed. */
async function expectLeased(admissions: AdmissionWorld): Promise<void> {
  const { stores, asked, admitted } = admissions
  const sessions = await Promise.all(roots.map((id) => admissions.world.load(id)))
  for (const { scopeKey, place } of sessions) {
    for (const { key } of await stores.sessions.descendants({ scopeKey, path: place.path, limit: 200 })) {
      const [runs = []] = await stores.runs.pages([{ sessionKey: key, limit: 200 }])
      for (const { runId, state } of runs) {
        const leases = asked.filter(({ run }) => run.runId === runId)
        expect(leases.some((lease) => admitted.has(lease))).toBe(true)
        const isCompleted = state.kind === 'finished' && state.outcome.status === 'COMPLETED'
        expect(!isCompleted || leases.some(({ closed }) => closed === 1)).toBe(true)
      }
    }
  }
}

test('G84, G86, G88, G89: whatever happens to processes, scopes and runs, each lease is closed once, and no run completes before', async () => {
  const property = fc.asyncProperty(fc.array(anyEvent, { maxLength: 40, size: 'max' }), async (events) => {
    const admissions = new AdmissionWorld()
    await admissions.begin()
    for (const id of roots) await admissions.world.session(id)
    for (const event of events) {
      const passing = admissions.happen(event)
      if (passing) await passing
      if (!event.settles) continue
      await admissions.clock.settle()
      await expectLeased(admissions)
    }
    await admissions.end()
    await expectLeased(admissions)
    for (const asked of admissions.asked) {
      expect(asked.mostClosing).toBeLessThanOrEqual(1)
      const most = admissions.admitted.has(asked) ? 1 : 0
      const least = admissions.dead.has(asked) ? 0 : most
      expect(asked.closed).toBeGreaterThanOrEqual(least)
      expect(asked.closed).toBeLessThanOrEqual(most)
    }
  })
  await fc.assert(property, { numRuns: RUNS })
}, 60_000)

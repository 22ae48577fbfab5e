import type { ScopeId } from '../../src/kernel/ids.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit } from '../../src/ports/stores/unit-of-work.ts'
import { memoryStores } from '../../src/stores/memory/memory-stores.ts'
import { type Fault, faultyStores } from './faulty-stores.ts'
import { virtualClock } from './virtual-clock.ts'
import { caller, scopeId, World } from './world.ts'

type LosingOptions = Omit<NonNullable<ConstructorParameters<typeof World>[0]>, 'stores' | 'clock'> & {
  readonly decorate?: (stores: Stores) => Stores
}

/**
 * A world whose store loses commits when a test says so: for as long as it is mute it does not tell what became of them.
 * One committer serves all scopes.
 */
export class LosingWorld {
  readonly world: World
  readonly inner: Stores
  isMute = false
  /** Holds up every commit until it settles. */
  gate: Promise<void> | undefined
  /** Holds up whoever asks what became of a commit until it settles. */
  silence: Promise<void> | undefined
  /** What happens to a group of commits; nothing unless set. */
  onCommit: ((group: readonly Commit[]) => Fault) | undefined

  constructor({ decorate = (it: Stores) => it, ...options }: LosingOptions = {}) {
    const clock = virtualClock()
    this.inner = decorate(memoryStores({ clock }))
    const { unit } = this.inner
    const gated: Stores['unit'] = {
      outcomeOf: async (writeId) => {
        await this.silence
        return unit.outcomeOf(writeId)
      },
      forget: (before, limit) => unit.forget(before, limit),
      commit: async (...call) => {
        await this.gate
        return unit.commit(...call)
      },
    }
    const stores = faultyStores({ ...this.inner, unit: gated }, (group) => this.onCommit?.(group), () => this.isMute)
    const commits = { resolveDeadlineMs: 1_000, ...options.commits }
    this.world = new World({ ...options, stores: { ...stores, serialises: 'database' }, clock, commits })
  }

  static async started(...options: ConstructorParameters<typeof LosingWorld>): Promise<LosingWorld> {
    const losing = new LosingWorld(...options)
    await losing.world.harness.start()
    return losing
  }

  /** Loses the next commit, before the store has it or after. */
  loseNext(side: 'before' | 'after'): void {
    this.isMute = true
    this.onCommit = () => {
      this.onCommit = undefined
      return { failure: 'uncertain', side }
    }
  }

  /** Lets what was lost be fenced. */
  async untilFenced(): Promise<void> {
    await this.world.clock.advance(3_000)
  }

  /** Lets the store tell again, and everything be restored. */
  async heal(): Promise<void> {
    this.isMute = false
    this.onCommit = undefined
    await this.world.clock.advance(60_000)
  }

  /** What comes after this process, with a store that works. */
  async successor(): Promise<World> {
    const world = await World.started({ stores: this.inner, clock: this.world.clock })
    world.models.onCall = (call) => call.answer('of the next')
    await world.clock.advance(1_000)
    return world
  }

  async lifecycle(id: ScopeId = scopeId) {
    return (await this.world.harness.openScope(id, caller))?.lifecycle
  }
}

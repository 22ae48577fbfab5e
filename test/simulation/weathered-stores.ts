import type { WriteId } from '../../src/kernel/ids.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { StoreFailure } from '../../src/ports/stores/failure.ts'
import type { Stores } from '../../src/ports/stores/stores.ts'
import type { Commit, Committed, UnitOfWork } from '../../src/ports/stores/unit-of-work.ts'
import type { Life } from './life.ts'
import type { CommitFault, Weather } from './weather.ts'

export interface Surroundings {
  readonly life: Life
  readonly weather: Weather
  /** Time outside of the process. */
  readonly clock: Clock
  /** Longer than a committer waits for a commit. */
  readonly patienceMs: number
  readonly note: (line: string) => void
}

const LONGEST_DELAY_MS = 120
const content = ['structure', 'queue', 'runs', 'messages', 'log', 'permissions', 'executions'] as const
const repositories = ['scopes', 'sessions', ...content, 'events', 'requests'] as const

const broken = () => new Error('Connection terminated unexpectedly')

/** The stores as one process reaches them: late, not at all, twice, or without an answer, as the weather says. */
export function weatheredStores(stores: Stores, surroundings: Surroundings): Stores {
  const reached = <T extends object>(repository: T): T =>
    new Proxy(repository, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) =>
          called(surroundings, async () => (await Reflect.apply(member, target, args)) as unknown)
      },
    })
  const wrapped = Object.fromEntries(repositories.map((name) => [name, reached(stores[name])]))
  const instances = stores.instances && reached(stores.instances)
  return { ...stores, ...wrapped, instances, unit: weatheredUnit(stores.unit, surroundings) }
}

function weatheredUnit(unit: UnitOfWork, surroundings: Surroundings): UnitOfWork {
  return {
    commit: (writeId, group) => new Sending(unit, surroundings, { writeId, group }).send(),
    outcomeOf: (writeId) => called(surroundings, () => unit.outcomeOf(writeId)),
    forget: (before, limit) => called(surroundings, () => unit.forget(before, limit)),
  }
}

/** A call that changes nothing by itself. */
async function called<T>({ life, weather, clock }: Surroundings, call: () => Promise<T>): Promise<T> {
  await life.pass()
  if (weather.isDown(clock.monotonic())) throw broken()
  const fault = weather.call()
  if (fault === 'slowBefore') await clock.sleep(weather.delay(LONGEST_DELAY_MS))
  if (fault === 'failed') throw broken()
  const answer = await call()
  if (fault === 'slowAfter') await clock.sleep(weather.delay(LONGEST_DELAY_MS))
  await life.pass()
  return answer
}

interface Letter {
  readonly writeId: WriteId
  readonly group: readonly Commit[]
}

/** One commit on its way to the store and back. */
class Sending {
  readonly #unit: UnitOfWork
  readonly #around: Surroundings
  readonly #letter: Letter

  constructor(unit: UnitOfWork, surroundings: Surroundings, letter: Letter) {
    this.#unit = unit
    this.#around = surroundings
    this.#letter = letter
  }

  async send(): Promise<readonly Committed[]> {
    const { life, weather, clock, note } = this.#around
    await life.pass()
    if (weather.isDown(clock.monotonic())) throw this.#unreachable()
    const fault = weather.commit()
    if (fault !== 'none') note(`commit ${this.#letter.writeId} is ${fault}`)
    await this.#linger()
    const committed = await this.#meet(fault)
    await this.#linger()
    await life.pass()
    return committed
  }

  async #meet(fault: CommitFault): Promise<readonly Committed[]> {
    const { life, weather, clock, patienceMs } = this.#around
    switch (fault) {
      case 'none':
        return this.#deliver()
      case 'refused':
        throw new StoreFailure('notCommitted', 'The store refused.')
      case 'conflicted':
        throw new StoreFailure('conflict', 'The store says that it missed.')
      case 'fenced':
        throw this.#missed()
      case 'fatal':
        throw new StoreFailure('fatal', 'The store cannot be trusted.')
      case 'lost':
        throw this.#uncertain()
      case 'unanswered':
        await this.#deliver()
        // So that others may change what it has changed.
        await clock.sleep(weather.delay(2 * LONGEST_DELAY_MS))
        throw this.#uncertain()
      case 'zombie':
        this.#deliverLater(LONGEST_DELAY_MS * 3)
        throw this.#uncertain()
      case 'late':
        await clock.sleep(patienceMs + weather.delay(LONGEST_DELAY_MS))
        return this.#deliver()
      case 'twice':
        this.#deliverLater(LONGEST_DELAY_MS)
        return this.#deliver()
      case 'crashBefore':
        life.die()
        return []
      case 'crashAfter':
        await this.#deliver()
        life.die()
        return []
      case 'suspended':
        return this.#deliver().finally(() => (weather.isOver ? undefined : life.pause()))
      case 'crashZombie':
        this.#deliverLater(LONGEST_DELAY_MS)
        life.die()
        return []
    }
  }

  #deliver(): Promise<readonly Committed[]> {
    return this.#unit.commit(this.#letter.writeId, this.#letter.group)
  }

  #deliverLater(longest: number): void {
    const { weather, clock, note } = this.#around
    const deliver = async () => {
      await this.#deliver().then(
        () => note(`commit ${this.#letter.writeId} came late and was taken`),
        () => note(`commit ${this.#letter.writeId} came late and was refused`),
      )
    }
    clock.after(weather.delay(longest), () => void deliver())
  }

  /** Only what has an epoch can be fenced. */
  #missed(): Error {
    const hasEpoch = this.#letter.group.some(({ sessions }) => sessions.length > 0)
    return new StoreFailure(hasEpoch ? 'fenced' : 'conflict', 'The store says that the epoch is over.')
  }

  async #linger(): Promise<void> {
    const { weather, clock } = this.#around
    const ms = weather.hesitation(LONGEST_DELAY_MS)
    if (ms > 0) await clock.sleep(ms)
  }

  #uncertain(): Error {
    return this.#around.weather.isAnonymous() ? broken() : new StoreFailure('uncertain', 'The connection was lost.')
  }

  #unreachable(): Error {
    return this.#around.weather.isAnonymous() ? broken() : new StoreFailure('notCommitted', 'There is no connection.')
  }
}

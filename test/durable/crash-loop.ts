import { systemClock } from '../../src/runtime/system-clock.ts'
import { seeded } from '../support/seeded.ts'
import { answering, Follower, prompting, reconciling, type Stage } from './clients.ts'
import { type CommitKind, commitKinds } from './commit-kind.ts'
import { askAny, Fleet, type Member, until } from './fleet.ts'
import { STATUSES, statusesIn } from './operations.ts'
import { type Verdict, verdictOf } from './verdict.ts'
import type { Death } from './watched-stores.ts'

export interface CrashLoop {
  readonly database: 'SQLite' | 'PostgreSQL'
  readonly kills: number
  readonly seed: number
}

export interface CrashReport extends Verdict {
  /** How many processes died before and after a commit of each kind, and at any time. */
  readonly deaths: Readonly<Record<string, number>>
  /** How many processes were suspended for longer than their lease, and came back. */
  readonly suspensions: number
  readonly acknowledged: number
  readonly reconciled: number
  /** Events that the follower was told. */
  readonly told: number
}

const CLIENTS = 4
const leases = { ttlMs: 1_500, takeOverMs: 250, lookMs: 250 }
/** Of those that may die at any time: how many are suspended before, and how many are stopped instead. */
const SHARE = 0.3
/** Of many processes, how many end the runs that others have left instead of going on with them. */
const FAILING = 0.15
/** How long a process may live that is to die at a commit which does not come. */
const LIFE_MS = 3_000
const points = commitKinds.flatMap((kind) => (['before', 'after'] as const).map((side) => ({ kind, side })))
/** Where a call of a tool is between two commits, and other places where what happened and what is stored differ. */
const telling: readonly CommitKind[] = ['begin tool', 'end tool', 'answer', 'resume', 'end run']

/**
 * Clients prompt, answer, reconcile and follow, while their servers are killed: at commits, and at any time; some are stopped
 * instead. On PostgreSQL there are two at a time, and some are suspended before. Throws when anything was lost or doubled.
 */
export async function crashLoop({ database, kills, seed }: CrashLoop): Promise<CrashReport> {
  await using fleet = await Fleet.on(database)
  const random = seeded(seed)
  const prompts = new AbortController()
  const others = new AbortController()
  const stageOf = ({ signal }: AbortController): Stage => ({ fleet, random, signal })
  const first = await fleet.start({ leases })
  const clients = Array.from({ length: CLIENTS }, (_, i) => prompting(stageOf(prompts), `client ${i}`))
  const people = [answering(stageOf(others)), reconciling(stageOf(others))] as const
  const follower = new Follower(fleet)
  const town = Promise.all([...clients, ...people, follower.done])
  town.catch(() => undefined)
  const reaper = new Reaper(fleet, { database, kills, random, town })
  await reaper.reap(database === 'PostgreSQL' ? [first, await fleet.start({ leases })] : [first])

  await fleet.start({ leases })
  prompts.abort()
  const acknowledged = (await Promise.all(clients)).flat()
  const urls = () => fleet.members.map(({ url }) => url)
  await until(() => 'end of all work', async () => {
    const statuses = statusesIn((await askAny(urls, STATUSES, {})).data)
    return statuses.length === 0 || undefined
  })
  await until(() => 'follower who knows everything', async () => (await follower.isUpToDate()) || undefined)
  others.abort()
  const [, reconciled] = await Promise.all(people)
  follower.leave()
  for (const member of fleet.members) await member.end('SIGTERM')
  await follower.done
  const { told } = follower
  const verdict = await verdictOf(fleet, acknowledged)
  expectWhole(told, verdict.events)
  return { ...verdict, ...reaper.report, acknowledged: acknowledged.length, reconciled, told: told.length }
}

interface Reaping extends Omit<CrashLoop, 'seed'> {
  readonly random: () => number
  /** Rejects when one of the clients has met what must not be. */
  readonly town: Promise<unknown>
}

/** Who serves, and where he is to die; at any time when it is not said. */
interface Mortal {
  readonly member: Member
  readonly death: Death | undefined
}

/** Ends one server process after another, and starts others in their place. */
class Reaper {
  readonly #fleet: Fleet
  readonly #reaping: Reaping
  readonly #deaths = new Map<string, number>()
  #born = 0
  #point = 0
  #ended = 0
  #suspensions = 0

  constructor(fleet: Fleet, reaping: Reaping) {
    this.#fleet = fleet
    this.#reaping = reaping
  }

  get report(): Pick<CrashReport, 'deaths' | 'suspensions'> {
    const deaths = Object.fromEntries([...this.#deaths].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    return { deaths, suspensions: this.#suspensions }
  }

  /** Begins with these. In the end none is left. */
  async reap(members: readonly Member[]): Promise<void> {
    const living: Mortal[] = members.map((member) => ({ member, death: undefined }))
    while (this.#ended < this.#reaping.kills) {
      const next = living.shift()
      if (next) await this.#end(next)
      const born = await this.#mortal()
      if (born) living.push(born)
    }
    for (const { member } of living) await member.end('SIGKILL')
  }

  async #end({ member, death }: Mortal): Promise<void> {
    const { database, random, town } = this.#reaping
    const lives = death ? LIFE_MS : random() * LIFE_MS * 0.5
    await Promise.race([member.ended, systemClock.sleep(lives), town])
    if (!death && database === 'PostgreSQL' && random() < SHARE) {
      await suspended(member, leases.ttlMs * (1 + 2 * random()))
      this.#suspensions++
    }
    const hasDied = !this.#fleet.members.includes(member)
    const stops = !death && random() < SHARE
    this.#note(hasDied && death ? nameOf(death) : stops ? 'stopped' : 'at any time')
    await member.end(stops ? 'SIGTERM' : 'SIGKILL')
  }

  /** A process that is to die, unless it has died while it started. */
  async #mortal(): Promise<Mortal | undefined> {
    const death = this.#nextDeath()
    const { kills, random } = this.#reaping
    const recovery = kills >= points.length && random() < FAILING ? 'FAIL' : 'RESUME'
    try {
      return { member: await this.#fleet.start({ leases, recovery, ...(death && { death }) }), death }
    } catch (error) {
      if (!death || !String(error).includes('SIGKILL')) throw error
      this.#note(nameOf(death))
      return undefined
    }
  }

  /** At one of the telling points, or, if there are enough deaths, at all of them; every third at any time. */
  #nextDeath(): Death | undefined {
    const { kills, random } = this.#reaping
    if (this.#born++ % 3 === 2) return undefined
    const nth = 1 + Math.floor(random() * 3)
    if (kills >= points.length) return { ...points[this.#point++ % points.length]!, nth }
    const kind = telling[Math.floor(random() * telling.length)]!
    return { kind, side: random() < 0.5 ? 'before' : 'after', nth }
  }

  #note(where: string): void {
    this.#ended++
    this.#deaths.set(where, (this.#deaths.get(where) ?? 0) + 1)
  }
}

const nameOf = ({ side, kind }: Death): string => `${side} ${kind}`

async function suspended(victim: Member, ms: number): Promise<void> {
  victim.signal('SIGSTOP')
  await systemClock.sleep(ms)
  victim.signal('SIGCONT')
  // What it was about to do when it was suspended it does now.
  await systemClock.sleep(ms / 4)
}

/** The follower begins behind the first event, and is told each of the others once. */
function expectWhole(told: readonly number[], events: number): void {
  const gap = told.findIndex((sequence, i) => sequence !== i + 2)
  if (gap >= 0 || told.length !== events - 1) {
    throw new Error(`E1: the follower was told ${told.length} of ${events} events, and ${told[gap]} where ${gap + 2} was due.`)
  }
}

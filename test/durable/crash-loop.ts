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
  readonly acknowledged: number
  readonly reconciled: number
  /** Events that the follower was told. */
  readonly told: number
}

const CLIENTS = 4
const leases = { ttlMs: 1_500, takeOverMs: 250, lookMs: 250 }
/** How long a process may live that is to die at a commit which does not come. */
const LIFE_MS = 4_000
const points = commitKinds.flatMap((kind) => (['before', 'after'] as const).map((side) => ({ kind, side })))
/** Where a call of a tool is between two commits, and other places where what happened and what is stored differ. */
const telling: readonly CommitKind[] = ['begin tool', 'end tool', 'answer', 'resume', 'end run']

/**
 * Clients prompt, answer, reconcile and follow, while their servers are killed: at commits, and at any time. On PostgreSQL
 * there are two at a time. Throws when anything was lost or doubled.
 */
export async function crashLoop({ database, kills, seed }: CrashLoop): Promise<CrashReport> {
  await using fleet = await Fleet.on(database)
  const random = seeded(seed)
  const prompts = new AbortController()
  const others = new AbortController()
  const stageOf = ({ signal }: AbortController): Stage => ({ fleet, random, signal })
  const deaths = new Map<string, number>()
  let died = 0
  const note = (where: string) => {
    died++
    deaths.set(where, (deaths.get(where) ?? 0) + 1)
  }

  let due = 0
  /** A process that is to die, unless it has died while it started. */
  const mortal = async (): Promise<{ readonly member: Member; readonly death: Death | undefined } | undefined> => {
    const death = deathOf(due++, kills, random)
    try {
      return { member: await fleet.start({ leases, ...(death && { death }) }), death }
    } catch (error) {
      if (!death || !String(error).includes('SIGKILL')) throw error
      note(`${death.side} ${death.kind}`)
      return undefined
    }
  }

  const living = [await fleet.start({ leases })]
  const clients = Array.from({ length: CLIENTS }, (_, i) => prompting(stageOf(prompts), `client ${i}`))
  const people = [answering(stageOf(others)), reconciling(stageOf(others))] as const
  const follower = new Follower(fleet)
  const town = Promise.all([...clients, ...people, follower.done])
  town.catch(() => undefined)
  if (database === 'PostgreSQL') living.push(await fleet.start({ leases }))
  const waiting: (Death | undefined)[] = living.map(() => undefined)
  while (died < kills) {
    const victim = living.shift()
    const death = waiting.shift()
    if (victim) {
      const lives = death ? LIFE_MS : random() * LIFE_MS * 0.5
      await Promise.race([victim.ended, systemClock.sleep(lives), town])
      const isOver = !fleet.members.includes(victim)
      note(isOver && death ? `${death.side} ${death.kind}` : 'at any time')
      await victim.end('SIGKILL')
    }
    const next = await mortal()
    if (next) {
      living.push(next.member)
      waiting.push(next.death)
    }
  }
  for (const victim of living) await victim.end('SIGKILL')
  await fleet.start({ leases })
  prompts.abort()
  const acknowledged = (await Promise.all(clients)).flat()
  const urls = () => fleet.members.map(({ url }) => url)
  await until('end of all work', async () => {
    const statuses = statusesIn((await askAny(urls, STATUSES, {})).data)
    return statuses.length === 0 || undefined
  })
  await until('follower who knows everything', async () => (await follower.isUpToDate()) || undefined)
  others.abort()
  const [, reconciled] = await Promise.all(people)
  follower.leave()
  for (const member of fleet.members) await member.end('SIGTERM')
  await follower.done
  const { told } = follower
  const verdict = await verdictOf(fleet, acknowledged)
  expectWhole(told, verdict.events)
  return {
    ...verdict,
    deaths: Object.fromEntries([...deaths].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    acknowledged: acknowledged.length,
    reconciled,
    told: told.length,
  }
}

/** At one of the telling points first, then at all of them; every third at any time. */
function deathOf(due: number, kills: number, random: () => number): Death | undefined {
  if (due % 3 === 2) return undefined
  const nth = 1 + Math.floor(random() * 3)
  if (kills >= points.length) return { ...points[due % points.length]!, nth }
  const kind = telling[Math.floor(random() * telling.length)]!
  return { kind, side: random() < 0.5 ? 'before' : 'after', nth }
}

/** The follower begins behind the first event, and is told each of the others once. */
function expectWhole(told: readonly number[], events: number): void {
  const gap = told.findIndex((sequence, i) => sequence !== i + 2)
  if (gap >= 0 || told.length !== events - 1) {
    throw new Error(`E1: the follower was told ${told.length} of ${events} events, and ${told[gap]} where ${gap + 2} was due.`)
  }
}

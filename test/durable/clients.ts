import { setMaxListeners } from 'node:events'
import { systemClock } from '../../src/runtime/system-clock.ts'
import { watch } from '../e2e/client.ts'
import { askAny, type Fleet, newId, until } from './fleet.ts'
import {
  ABORT,
  BUSY,
  CREATE,
  ENQUEUE,
  EVENTS,
  executionsIn,
  FIRST_CURSOR,
  firstCursorIn,
  INBOX,
  RECONCILE,
  requestsIn,
  RESPOND,
} from './operations.ts'
import type { Acknowledged } from './verdict.ts'

const PROMPTS_PER_SESSION = 12
const PAUSE_MS = 120

/** Whose turn it is to say something, and for how long. */
export interface Stage {
  readonly fleet: Fleet
  readonly signal: AbortSignal
  readonly random: () => number
}

const phrases = [
  'call charge with {"ms":0}',
  'call charge with {"ms":150}',
  'call pay with {"ms":20}',
  'call put with {"ms":60}',
  'call look with {"ms":30}',
  'count to 12 slowly',
  'think about crashes',
  'hello',
] as const

const urlsOf =
  (fleet: Fleet) =>
  (): readonly string[] =>
    fleet.members.map(({ url }) => url)

/** Does it again and again until the stage is over; the rest of what it does then is not waited for. */
async function untilOver({ signal }: Stage, act: () => Promise<void>): Promise<void> {
  setMaxListeners(0, signal)
  while (!signal.aborted) {
    await act()
    await systemClock.sleep(PAUSE_MS, signal).catch(() => undefined)
  }
}

/** Somebody who sends one prompt after another, and each again until it is acknowledged. */
export async function prompting(stage: Stage, name: string): Promise<readonly Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const { fleet, random } = stage
  const urls = urlsOf(fleet)
  let session = ''
  let sent = 0
  await untilOver(stage, async () => {
    if (sent++ % PROMPTS_PER_SESSION === 0) {
      session = `${name} ${sent}`
      expectCode((await askAny(urls, CREATE, { session, id: newId() })).code)
    }
    const text = Array.from({ length: 1 + Math.floor(random() * 3) }, () => phrases[Math.floor(random() * phrases.length)])
    const asked = { session, text: text.join(' then '), id: newId() }
    const answer = await askAny(urls, ENQUEUE, asked)
    expectCode(answer.code, 'QUEUE_FULL')
    if (answer.code === undefined) {
      const queueId = queueIdIn(answer.data)
      acknowledged.push({ session, queueId })
      const again = random() < 0.3 ? await askAny(urls, ENQUEUE, asked) : answer
      if (queueIdIn(again.data) !== queueId) throw new Error('A prompt that was repeated was queued again.')
    }
    if (random() < 0.08) expectCode((await askAny(urls, ABORT, { session })).code)
    await systemClock.sleep(random() * 600)
  })
  return acknowledged
}

/** A person who answers everything that he is asked. */
export const answering = (stage: Stage): Promise<void> =>
  untilOver(stage, async () => {
    const urls = urlsOf(stage.fleet)
    const { data } = await askAny(urls, INBOX, {})
    for (const { permissionId: id } of requestsIn(data)) {
      const rejects = stage.random() < 0.3
      const message = rejects && stage.random() < 0.5 ? 'Not today.' : null
      const answer = { id, decision: rejects ? 'REJECT' : 'ONCE', message }
      // An answer that was stored and not acknowledged is a second one when it is repeated.
      expectCode((await askAny(urls, RESPOND, answer)).code, 'PERMISSION_STATE')
    }
  })

/** A person who looks, outside of the database, what became of calls of which nobody knows. */
export async function reconciling(stage: Stage): Promise<number> {
  const found = new Set<string>()
  await untilOver(stage, async () => {
    const urls = urlsOf(stage.fleet)
    const { data } = await askAny(urls, BUSY, {})
    for (const { intentId: id, runId, toolCallId } of executionsIn(data)) {
      const isDone = stage.fleet.effects.some((effect) => effect.runId === runId && effect.toolCallId === toolCallId)
      const outcome = isDone ? 'SUCCEEDED' : 'NOT_EXECUTED'
      expectCode((await askAny(urls, RECONCILE, { id, outcome })).code, 'RECONCILIATION_STATE')
      found.add(id)
    }
  })
  return found.size
}

interface Told {
  readonly sequence: number | null
  readonly cursor: string | null
}

/** Somebody who follows the scope from its first event on, over whichever server there is, until `leave`. */
export class Follower {
  readonly #fleet: Fleet
  readonly #told: (readonly Told[])[] = []
  #first: string | undefined
  #hasLeft = false
  readonly done: Promise<void>

  constructor(fleet: Fleet) {
    this.#fleet = fleet
    this.done = this.#follow()
  }

  /** The numbers of the events that he was told, which begin behind the first. */
  get told(): readonly number[] {
    return this.#told.flat().flatMap(({ sequence }) => sequence ?? [])
  }

  /** Whether he has been told everything that there is now. */
  async isUpToDate(): Promise<boolean> {
    const after = this.#cursor
    if (after === undefined) return false
    const { data } = await askAny(urlsOf(this.#fleet), FIRST_CURSOR, { after })
    return firstCursorIn(data) === undefined
  }

  /** He does not come back when his server ends. */
  leave(): void {
    this.#hasLeft = true
  }

  get #cursor(): string | undefined {
    return this.#told.flat().findLast(({ cursor }) => cursor !== null)?.cursor ?? this.#first
  }

  async #follow(): Promise<void> {
    const urls = urlsOf(this.#fleet)
    this.#first = await until(() => 'first event', async () => firstCursorIn((await askAny(urls, FIRST_CURSOR, {})).data))
    for (let n = 0; !this.#hasLeft; n++) {
      const all = urls()
      const url = all[n % all.length]
      if (url === undefined) {
        await systemClock.sleep(PAUSE_MS)
        continue
      }
      const { received, ended } = watch<Told>(url, EVENTS, { after: this.#cursor })
      this.#told.push(received)
      await ended.catch(() => undefined)
    }
  }
}

const queueIdIn = (data: object): string =>
  (data as { enqueuePrompt: { entry: { queueId: string } } }).enqueuePrompt.entry.queueId

function expectCode(code: string | undefined, ...allowed: readonly string[]): void {
  if (code !== undefined && !allowed.includes(code)) throw new Error(`A server refused with ${code}.`)
}

import { systemClock } from '../../src/runtime/system-clock.ts'
import { askOne, type Fleet, type Member, newId, until } from './fleet.ts'
import type { LeasePolicy } from '../../src/runtime/leases.ts'
import { CREATE, ENQUEUE, INBOX, type RequestSeen, requestsIn, RESPOND, SESSION, sessionIn, type SessionSeen } from './operations.ts'
import type { Acknowledged } from './verdict.ts'

/** What happens to the process that executes a run. One that is stopped leaves at once only what waits for people. */
export type Blow = 'kill' | 'suspend' | 'stop'

export interface TakeOvers {
  /** Milliseconds from each blow until another process had the run. */
  readonly ms: readonly number[]
  readonly acknowledged: readonly Acknowledged[]
}

const CHARGE = 'call charge with {"ms":0}'
const PAY = 'call pay with {"ms":0}'
/** Up to which number it takes a second or two to count. */
const someNumber = (): number => 20 + Math.floor(Math.random() * 20)

/**
 * Two processes, of which again and again the one that executes a run is killed, stopped, or suspended until it has lost the
 * run.
 */
export async function takeOvers(
  fleet: Fleet,
  { blow, times, leases }: { readonly blow: Blow; readonly times: number; readonly leases: Partial<LeasePolicy> },
): Promise<TakeOvers> {
  const ms: number[] = []
  const acknowledged: Acknowledged[] = []
  let [owner, other] = await Promise.all([fleet.start({ leases }), fleet.start({ leases })])
  for (let n = 0; n < times; n++) {
    const session = `${blow} ${n}`
    const isAsking = blow === 'stop' || n % 3 === 2
    const text = isAsking ? `${CHARGE} then ${PAY}` : `${CHARGE} then count to ${someNumber()} slowly`
    await askOne(other.url, CREATE, { session, id: newId() })
    acknowledged.push(await enqueued(owner, session, text))
    acknowledged.push(await enqueued(other, session, 'call put with {"ms":1}'))
    const request = isAsking ? await asked(other, session) : undefined
    await seen(other, session, ({ activity }) => isAsking || activity.kind === 'RESPONDING')
    await systemClock.sleep(Math.random() * 400)
    const began = systemClock.monotonic()
    if (blow === 'suspend') owner.signal('SIGSTOP')
    else await owner.end(blow === 'kill' ? 'SIGKILL' : 'SIGTERM')
    await seen(other, session, ({ runs }) => runs.edges.some(({ node }) => node.attempts > 1))
    ms.push(Math.round(systemClock.monotonic() - began))
    if (blow === 'suspend') owner.signal('SIGCONT')
    const next = blow === 'suspend' ? owner : await fleet.start({ leases })
    if (request) await answered(n % 2 === 0 ? next : other, request)
    await seen(next, session, ({ status, queue }) => status === 'IDLE' && queue.every(({ status: its }) => its === 'COMPLETED'))
    ;[owner, other] = [other, next]
  }
  for (const member of fleet.members) await member.end('SIGTERM')
  return { ms, acknowledged }
}

async function enqueued(member: Member, session: string, text: string): Promise<Acknowledged> {
  const { data } = await askOne(member.url, ENQUEUE, { session, text, id: newId() })
  const { enqueuePrompt } = data as { enqueuePrompt: { entry: { queueId: string } } }
  return { session, queueId: enqueuePrompt.entry.queueId }
}

const asked = (member: Member, session: string): Promise<RequestSeen> =>
  until(() => 'request', async () => {
    const { data } = await askOne(member.url, INBOX, {})
    return requestsIn(data).find((request) => request.session.sessionId === session)
  })

async function answered(member: Member, { permissionId }: RequestSeen): Promise<void> {
  const { code } = await askOne(member.url, RESPOND, { id: permissionId, decision: 'ONCE' })
  if (code !== undefined) throw new Error(`The answer was refused: ${code}.`)
}

const seen = (member: Member, session: string, fits: (session: SessionSeen) => boolean): Promise<SessionSeen> =>
  until(() => `session ${session} as expected`, async () => {
    const { data } = await askOne(member.url, SESSION, { session })
    const found = sessionIn(data)
    return fits(found) ? found : undefined
  })

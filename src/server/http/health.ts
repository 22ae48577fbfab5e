import type { Clock } from '../../ports/clock.ts'
import type { Harness } from '../../runtime/harness.ts'
import type { Reply } from './reply.ts'

/** A store that does not answer within this time is not ready. */
const DEADLINE_MS = 2_000

/** Answers whether the process lives, which it says by answering. */
export const live = (): Reply => answer(200, 'live')

/** Answers whether work would be taken: the store answers with the schema of this build, and commits succeed. */
export async function ready(harness: Pick<Harness, 'stores' | 'isHealthy'>, clock: Clock): Promise<Reply> {
  const isReady = harness.isHealthy && (await isStoreReady(harness, clock))
  return isReady ? answer(200, 'ready') : answer(503, 'not ready')
}

async function isStoreReady({ stores }: Pick<Harness, 'stores'>, clock: Clock): Promise<boolean> {
  const { promise: tooLate, resolve } = Promise.withResolvers<boolean>()
  const cancel = clock.after(DEADLINE_MS, () => resolve(false))
  try {
    return await Promise.race([stores.isReady(), tooLate])
  } catch {
    return false
  } finally {
    cancel()
  }
}

const answer = (status: number, text: string): Reply => ({
  status,
  headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  body: JSON.stringify({ status: text }),
})

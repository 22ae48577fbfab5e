import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule } from '../../domain/input-rules.ts'
import { abortOf } from '../../domain/run/run.ts'
import type { Content } from '../../domain/session/content.ts'
import type { QueueId } from '../../kernel/ids.ts'
import type { Caller, CancelPrompt, CommonRefusal } from '../harness.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { findSession } from './find-session.ts'

/** Takes a prompt out of the queue, or asks its run to stop, if it was not asked before. False when it was too late. */
export async function cancelPrompt(
  deps: VerbDeps,
  input: CancelPrompt,
  caller: Caller,
): Promise<Answer<boolean, CommonRefusal>> {
  const { scopeId, sessionId, queueId } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['sessionId'], sessionId, idRule),
    ...checked(['queueId'], queueId, idRule),
  ])
  if (refusal) return no(refusal)
  const found = await findSession(deps, input, caller)
  if (found.kind === 'refused') return no(found.refusal)
  const [entry] = await deps.stores.queue.findMany([queueId])
  if (entry?.sessionKey !== found.key) return no(notFound('queue entry', queueId))
  const message = 'The prompt was cancelled.'
  const request = { kind: 'requested', message, by: caller.principal, at: deps.clock.now() } as const
  const cancel = { type: 'cancel', queueId, request } as const
  const unless = () => found.life.refusal
  const change = await deps.sessions.actor(found.key).transact(() => ({ kind: 'change', commands: [cancel], unless }))
  switch (change.kind) {
    case 'changed':
      deps.sessions.admitter.claims.forget(queueId)
      return done(true)
    case 'unchanged':
      return done(isStopping(change.content, queueId))
    case 'contended':
      return no(contended)
    case 'denied':
      return no(change.refusal)
    case 'gone':
    case 'refused':
    case 'answered':
      return no(notFound('session', sessionId))
  }
}

const isStopping = ({ run }: Content, queueId: QueueId): boolean => run?.queueId === queueId && abortOf(run) !== null

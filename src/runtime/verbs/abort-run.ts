import type { RunId } from '../../kernel/ids.ts'
import { type Answer, done, no, notFound } from '../../kernel/refusal.ts'
import { idRule } from '../../domain/input-rules.ts'
import { abortOf } from '../../domain/run/run.ts'
import type { Content } from '../../domain/session/content.ts'
import type { AbortRun, Caller, CommonRefusal } from '../harness.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { findSession } from './find-session.ts'

/**
 * Asks the active run to stop. Answers when the request is durable, with the run's id, also when it was asked before;
 * null when nothing ran that could still be stopped.
 */
export async function abortRun(
  deps: VerbDeps,
  input: AbortRun,
  caller: Caller,
): Promise<Answer<RunId | null, CommonRefusal>> {
  const { scopeId, sessionId, runId } = input
  const refusal = refusedFor([
    ...checked(['scopeId'], scopeId, idRule),
    ...checked(['sessionId'], sessionId, idRule),
    ...checked(['runId'], runId, idRule),
  ])
  if (refusal) return no(refusal)
  const found = await findSession(deps, input, caller)
  if (found.kind === 'refused') return no(found.refusal)
  const message = 'The run was aborted.'
  const request = { kind: 'requested', message, by: caller.principal, at: deps.clock.now() } as const
  const abort = { type: 'abort', runId: runId ?? null, request } as const
  const unless = () => found.life.refusal
  const change = await deps.sessions.actor(found.key).transact(() => ({ kind: 'change', commands: [abort], unless }))
  switch (change.kind) {
    case 'changed':
      return done(change.before.run?.runId ?? null)
    case 'unchanged':
      return done(stopping(change.content, runId))
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

const stopping = ({ run }: Content, runId: RunId | undefined): RunId | null =>
  run && abortOf(run) && (runId === undefined || run.runId === runId) ? run.runId : null

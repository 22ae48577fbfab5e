import { digest } from '../../kernel/json.ts'
import { asQueueId, type QueueId, type RunId } from '../../kernel/ids.ts'
import { type Answer, done, type Issue, no, notFound, type RefusalOf } from '../../kernel/refusal.ts'
import type { EntrySnapshot } from '../../domain/event/event.ts'
import {
  dataUrlRule,
  filenameRule,
  idRule,
  maxStepsRule,
  mediaTypeRule,
  modelHintRule,
  promptTextRule,
  systemRule,
} from '../../domain/input-rules.ts'
import { budgetIssues, budgetOf } from '../../domain/run/budget.ts'
import { MAX_ATTACHMENTS } from '../../domain/limits.ts'
import { bytesOf, type Prompt, promptJson, type PromptOptions } from '../../domain/prompt/prompt.ts'
import { snapshotOf } from '../../domain/session/announce.ts'
import type { Admit, Enqueue } from '../../domain/session/commands.ts'
import type { Content } from '../../domain/session/content.ts'
import type { RowWrite } from '../../domain/session/writes.ts'
import type { Caller, CommonRefusal, EnqueuePrompt } from '../harness.ts'
import type { Change, Plan } from '../session-actor.ts'
import { checked, refusedFor } from './check.ts'
import { contended } from './contended.ts'
import type { VerbDeps } from './deps.ts'
import { expected } from './expected.ts'
import { findSession, type Found } from './find-session.ts'
import { reusedRequestId } from './reused-request-id.ts'

type Enqueued = Answer<EntrySnapshot, CommonRefusal | RefusalOf<'QUEUE_FULL'> | RefusalOf<'SESSION_BUSY'>>

/** Puts a prompt into a session's queue. Answers when it is durable; its run, if it can start, is admitted with it. */
export async function enqueuePrompt(deps: VerbDeps, input: EnqueuePrompt, caller: Caller): Promise<Enqueued> {
  const refusal = refusedFor(issuesOf(input))
  if (refusal) return no(refusal)
  const prompt = promptOf(input)
  const bytes = bytesOf(prompt)
  if (bytes > deps.limits.maxPromptBytes) return no(promptTooLarge(bytes, deps.limits.maxPromptBytes))
  const found = await findSession(deps, input, caller)
  if (found.kind === 'refused') return no(found.refusal)
  return new Enqueuing(deps, { input, caller, prompt, bytes, found }).perform()
}

interface Job {
  readonly input: EnqueuePrompt
  readonly caller: Caller
  readonly prompt: Prompt
  readonly bytes: number
  readonly found: Extract<Found, { kind: 'found' }>
}

/** One enqueue call. Owns the admission that it may have prepared until the call is answered. */
class Enqueuing {
  readonly #deps: VerbDeps
  readonly #job: Job
  readonly #queueId: QueueId
  #runId: RunId | undefined

  constructor(deps: VerbDeps, job: Job) {
    this.#deps = deps
    this.#job = job
    this.#queueId = asQueueId(deps.ids.uuid())
  }

  async perform(): Promise<Enqueued> {
    const { admitter } = this.#deps.sessions
    const { found } = this.#job
    admitter.claims.keepContext(this.#queueId, { key: found.key, context: found.context })
    let isQueued = false
    try {
      const change = await this.#deps.sessions.actor(found.key).transact((content) => this.#plan(content))
      isQueued = change.kind === 'changed' && change.after.run?.queueId !== this.#queueId
      return this.#answer(change)
    } finally {
      if (!isQueued) admitter.claims.forget(this.#queueId)
      if (this.#runId) admitter.withdraw(this.#runId)
    }
  }

  async #plan(content: Content): Promise<Plan<Enqueued>> {
    const repeated = await this.#earlierAnswer()
    if (repeated) return { kind: 'answer', value: repeated }
    const enqueue = this.#enqueue()
    const rows = this.#requestRows(enqueue.at)
    const { prompt, found } = this.#job
    const unless = () => found.life.refusal
    if (content.session.work.kind !== 'idle') return { kind: 'change', commands: [enqueue], rows, unless }
    this.#runId ??= this.#deps.sessions.admitter.prepare(prompt, found.context)
    if (!this.#runId) return { kind: 'change', commands: [enqueue], rows, unless }
    const { owner } = this.#deps
    const admit: Admit = { type: 'admit', queueId: this.#queueId, prompt, runId: this.#runId, owner, at: enqueue.at }
    return { kind: 'change', commands: [enqueue, admit], rows, unless }
  }

  #enqueue(): Enqueue {
    const { input, caller, prompt, bytes } = this.#job
    const { limits, clock } = this.#deps
    return {
      type: 'enqueue',
      queueId: this.#queueId,
      prompt,
      bytes,
      whenBusy: input.whenBusy ?? 'ENQUEUE',
      scopeId: input.scopeId,
      clientRequestId: input.clientRequestId ?? null,
      delegation: null,
      by: caller.principal,
      limits,
      at: clock.now(),
    }
  }

  async #earlierAnswer(): Promise<Enqueued | undefined> {
    const { input, found } = this.#job
    const { stores } = this.#deps
    const id = input.clientRequestId
    const earlier = id && (await stores.requests.find(found.scopeKey, found.key, id))
    if (!earlier) return undefined
    if (earlier.digest !== this.#digest()) return no(reusedRequestId)
    const [entry] = await stores.queue.findMany([asQueueId(earlier.result)])
    return entry ? done(snapshotOf(entry)) : no(notFound('queue entry', earlier.result))
  }

  #requestRows(createdAt: number): readonly RowWrite[] {
    const { scopeKey, key: owner } = this.#job.found
    const { clientRequestId } = this.#job.input
    if (!clientRequestId) return []
    const row = { scopeKey, owner, clientRequestId, digest: this.#digest(), result: this.#queueId, createdAt }
    return [{ table: 'request', op: 'insert', row }]
  }

  #digest(): string {
    const { prompt, input } = this.#job
    return digest({ verb: 'enqueuePrompt', prompt: promptJson(prompt), whenBusy: input.whenBusy ?? 'ENQUEUE' })
  }

  #answer(change: Change<Enqueued>): Enqueued {
    switch (change.kind) {
      case 'changed': {
        const entry = change.after.entries.find(({ queueId }) => queueId === this.#queueId)
        return entry ? done(snapshotOf(entry)) : no(notFound('queue entry', this.#queueId))
      }
      case 'answered':
        return change.value
      case 'refused':
        return no(expected(change.refusal, 'VALIDATION_FAILED', 'QUEUE_FULL', 'SESSION_BUSY'))
      case 'denied':
        return no(change.refusal)
      case 'gone':
        return no(notFound('session', this.#job.input.sessionId))
      case 'contended':
      case 'unchanged':
        return no(contended)
    }
  }
}

function issuesOf(input: EnqueuePrompt): readonly Issue[] {
  const { attachments = [], options } = input
  const budget = options?.budget
  return [
    ...checked(['scopeId'], input.scopeId, idRule),
    ...checked(['sessionId'], input.sessionId, idRule),
    ...checked(['text'], input.text, promptTextRule),
    ...checked(['clientRequestId'], input.clientRequestId, idRule),
    ...checked(['options', 'modelHint'], options?.modelHint, modelHintRule),
    ...checked(['options', 'system'], options?.system, systemRule),
    ...checked(['options', 'maxSteps'], options?.maxSteps, maxStepsRule),
    ...(budget === undefined || budget === null ? [] : budgetIssues(budget, ['options', 'budget'])),
    ...unknownOptions(options ?? {}),
    ...checked(['attachments'], attachments.length, (count) =>
      count > MAX_ATTACHMENTS ? `must be at most ${MAX_ATTACHMENTS}` : undefined,
    ),
    ...attachments.flatMap((attachment, i) => [
      ...checked(['attachments', i, 'mediaType'], attachment.mediaType, mediaTypeRule),
      ...checked(['attachments', i, 'filename'], attachment.filename, filenameRule),
      ...checked(['attachments', i, 'url'], attachment.url, dataUrlRule),
    ]),
  ]
}

const OPTIONS: ReadonlySet<string> = new Set<keyof PromptOptions>(['modelHint', 'system', 'maxSteps', 'budget'])

const unknownOptions = (options: object): readonly Issue[] =>
  Object.keys(options)
    .filter((name) => !OPTIONS.has(name))
    .map((name) => ({ path: ['options', name], message: `is unknown: there are ${[...OPTIONS].join(', ')}` }))

const promptOf = ({ text, attachments = [], options }: EnqueuePrompt): Prompt => ({
  text,
  attachments: attachments.map(({ mediaType, filename, url }) => ({ mediaType, filename, url })),
  options: {
    modelHint: options?.modelHint ?? null,
    system: options?.system ?? null,
    maxSteps: options?.maxSteps ?? null,
    budget: budgetOf(options?.budget ?? {}),
  },
})

const promptTooLarge = (bytes: number, limit: number): RefusalOf<'QUEUE_FULL'> => ({
  code: 'QUEUE_FULL',
  message: `A prompt has at most ${limit} bytes, attachments included; this one has ${bytes}.`,
  limit,
})

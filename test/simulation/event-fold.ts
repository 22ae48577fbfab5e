import type { EntrySnapshot, EventBody, HarnessEvent } from '../../src/domain/event/event.ts'
import { snapshotOf } from '../../src/domain/session/announce.ts'
import { errorOf } from '../../src/domain/run/outcome.ts'
import { holds, same } from './law-broken.ts'
import type { SessionState } from './session-state.ts'

type PromptBody = Extract<EventBody, { readonly entry: EntrySnapshot }>

const following: Readonly<Record<PromptBody['type'], readonly (PromptBody['type'] | undefined)[]>> = {
  'prompt.queued': [undefined],
  'prompt.started': ['prompt.queued'],
  'prompt.running': ['prompt.started'],
  'prompt.finished': ['prompt.queued', 'prompt.started', 'prompt.running'],
}

/**
 * What a client knows of a session who has seen all of its events. Each event must fit what was told before; the whole
 * must be what is stored.
 */
export class EventFold {
  readonly #prompts = new Map<string, PromptBody>()
  readonly #runs = new Map<string, object>()
  readonly #messages = new Map<string, 'created' | 'updated'>()
  readonly #parts = new Map<string, 'open' | 'complete'>()
  readonly #permissions = new Map<string, 'pending' | 'resolved'>()
  readonly #executions = new Map<string, 'uncertain' | 'reconciled'>()
  readonly #grants = new Set<string>()
  #isCreated = false
  #isDeleted = false

  apply({ sequence, body }: HarnessEvent): void {
    const at = `event ${sequence}`
    holds(this.#isCreated !== (body.type === 'session.created'), `E24: a session is announced once, and first (${at})`)
    holds(!this.#isDeleted, `E24: of a session nothing is announced after its deletion (${at})`)
    this.#isCreated = true
    if ('runId' in body && !['run.started', 'tool.reconciled'].includes(body.type) && !('entry' in body)) {
      same(this.#runs.get(body.runId), {}, `E22: of a run nothing is announced before its start or after its end (${at})`)
    }
    switch (body.type) {
      case 'session.created':
        return
      case 'session.deleted':
        this.#isDeleted = true
        return
      case 'prompt.queued':
      case 'prompt.started':
      case 'prompt.running':
      case 'prompt.finished':
        return this.#prompt(body, at)
      case 'run.started':
        return putNew(this.#runs, [body.runId, {}], `R3: a run starts once (${at})`)
      case 'run.finished':
        this.#runs.set(body.runId, { status: body.status, error: body.error })
        return
      case 'message.created':
        return putNew(this.#messages, [body.messageId, 'created'], `E21: a message is announced once (${at})`)
      case 'message.updated':
        holds(this.#messages.has(body.messageId), `E22: what is updated was announced (${at})`)
        this.#messages.set(body.messageId, 'updated')
        return
      case 'part.created':
        return putNew(this.#parts, [body.partId, 'open'], `E23: a part is announced once (${at})`)
      case 'part.completed':
        same(this.#parts.get(body.partId), 'open', `M1: a part is complete once, after it was created (${at})`)
        this.#parts.set(body.partId, 'complete')
        return
      case 'part.updated':
        same(this.#parts.get(body.partId), 'open', `M1: a part is updated while it is open (${at})`)
        return
      case 'permission.requested':
        return putNew(this.#permissions, [body.permission.permissionId, 'pending'], `P2: a request is asked once (${at})`)
      case 'permission.resolved':
        holds(this.#permissions.get(body.permission.permissionId) !== 'resolved', `P1: a request is resolved once (${at})`)
        this.#permissions.set(body.permission.permissionId, 'resolved')
        return
      case 'grant.changed':
        holds(this.#grants.has(body.rememberKey) === (body.change === 'REVOKED'), `P5: a grant is told once (${at})`)
        if (body.change === 'GRANTED') this.#grants.add(body.rememberKey)
        else this.#grants.delete(body.rememberKey)
        return
      case 'tool.uncertain':
        return putNew(this.#executions, [body.intentId, 'uncertain'], `X60: an uncertain execution is told once (${at})`)
      case 'tool.reconciled':
        same(this.#executions.get(body.intentId), 'uncertain', `X61: an execution is reconciled once (${at})`)
        this.#executions.set(body.intentId, 'reconciled')
        return
      case 'scope.fenced':
      case 'scope.restored':
        return
    }
  }

  /** Throws when what the events tell is not what is stored. */
  expectTold(whole: SessionState): void {
    const { entries, runs, messages, parts, permissions } = whole
    this.#expectCallsTold(whole)
    const asked = permissions.map(({ permissionId, state }) => [permissionId, state.kind])
    same([...this.#permissions].toSorted(byKey), asked.toSorted(byKey), 'P2: the events of requests tell what is stored')
    const told = [...this.#prompts.values()].map(({ entry }) => entry)
    same(byId(told), byId(entries.map(snapshotOf)), 'E20: the last event of each prompt tells of it what is stored')
    const finished = runs.map(({ runId, state }) =>
      state.kind === 'finished' ? [runId, { status: state.outcome.status, error: errorOf(state.outcome) }] : [runId, {}],
    )
    same([...this.#runs].toSorted(byKey), finished.toSorted(byKey), 'R3: the events of runs tell what is stored')
    const stored = messages.map(({ messageId }) => messageId)
    same([...this.#messages.keys()].toSorted(), stored.toSorted(), 'E21: every message is announced, and no other')
    const assistant = new Set(messages.filter(({ role }) => role === 'ASSISTANT').map(({ index }) => index))
    const streamed = parts
      .filter(({ messageIndex }) => assistant.has(messageIndex))
      .map(({ partId, finishedAt }) => [partId, finishedAt === null ? 'open' : 'complete'])
    same([...this.#parts].toSorted(byKey), streamed.toSorted(byKey), 'E23: the events of parts tell what is stored')
  }

  #expectCallsTold({ grants, executions }: SessionState): void {
    const listed = executions.map(({ intentId, state }) => [intentId, state.kind])
    same([...this.#executions].toSorted(byKey), listed.toSorted(byKey), 'X60: the events of executions tell what is stored')
    const granted = grants.map(({ rememberKey }) => rememberKey)
    same([...this.#grants].toSorted(), granted.toSorted(), 'P5: the events of grants tell what is stored')
  }

  #prompt(body: PromptBody, at: string): void {
    const before = this.#prompts.get(body.queueId)
    holds(following[body.type].includes(before?.type), `Q5: a prompt goes on and never back (${at})`, before, body)
    holds(body.entry.queueId === body.queueId && body.entry.runId === body.runId, `E20: an event is about one prompt (${at})`)
    this.#prompts.set(body.queueId, body)
  }
}

function putNew<V>(map: Map<string, V>, [key, value]: readonly [string, V], law: string): void {
  holds(!map.has(key), law, key)
  map.set(key, value)
}

const byKey = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1)

const byId = (entries: readonly EntrySnapshot[]): readonly EntrySnapshot[] =>
  entries.toSorted((a, b) => (a.queueId < b.queueId ? -1 : 1))

import { asScopeId, asSessionId, type SessionId } from '../../src/kernel/ids.ts'
import type { Mailbox } from '../../src/runtime/mailbox.ts'
import type { EnqueuePrompt } from '../../src/runtime/harness.ts'
import type { Checker } from './checker.ts'
import { type Asked, fateOf, type History, type PersonAsked } from './history.ts'
import { expectAnswer } from './laws/answer-laws.ts'
import { holds } from './law-broken.ts'
import { People } from './people.ts'
import type { Random } from './random.ts'
import type { SessionState } from './session-state.ts'
import type { SimulatedProcess } from './simulated-process.ts'

const scopeId = asScopeId('default')
const caller = { principal: 'somebody' }
const sessionIds = ['a', 'b', 'c', 'd'].map(asSessionId)

type Wish = 'create' | 'prompt' | 'repeat' | 'cancel' | 'abort' | 'answer' | 'reconcile' | 'revoke'

/** Without tools nobody is asked for anything. */
const ofText: Readonly<Record<Wish, number>> = {
  create: 12,
  prompt: 53,
  repeat: 12,
  cancel: 14,
  abort: 9,
  answer: 0,
  reconcile: 0,
  revoke: 0,
}

/** So that runs get further before somebody stops them. */
const ofTools: Readonly<Record<Wish, number>> = {
  create: 10,
  prompt: 34,
  repeat: 6,
  cancel: 5,
  abort: 4,
  answer: 34,
  reconcile: 14,
  revoke: 6,
}

interface Sent {
  readonly asked: Asked
  readonly process: SimulatedProcess
  /** Faults that the process had met when it was asked. */
  readonly hardFaults: number
  /** The session as it was when it was asked. */
  readonly before: SessionState | undefined
}

export interface ClientsDeps {
  readonly hasTools: boolean
  readonly random: Random
  readonly checker: Checker
  /** In which the checker looks at one commit after another. */
  readonly line: Mailbox
  readonly note: (line: string) => void
}

/** Clients that ask processes for things, do not wait for the answers, and remember them all. */
export class Clients {
  readonly #random: Random
  readonly #checker: Checker
  readonly #line: Mailbox
  readonly #note: (line: string) => void
  readonly #people: People
  readonly #hasTools: boolean
  readonly #sent: Sent[] = []
  #texts = 0

  constructor(deps: ClientsDeps) {
    this.#random = deps.random
    this.#checker = deps.checker
    this.#line = deps.line
    this.#note = deps.note
    this.#hasTools = deps.hasTools
    this.#people = new People({ random: deps.random.fork('people'), scopeId, states: deps.checker.states })
  }

  get history(): History {
    return this.#sent.map(({ asked }) => asked)
  }

  get asked(): number {
    return this.#sent.length
  }

  get acknowledged(): number {
    return this.#sent.filter(({ asked }) => asked.fate.kind === 'done').length
  }

  /** Commands of a kind that were carried out. */
  heard(verb: Asked['verb']): number {
    return this.#sent.filter(({ asked }) => asked.verb === verb && asked.fate.kind === 'done').length
  }

  expectHistory(): Promise<void> {
    return this.#checker.expectHistory(this.history)
  }

  /** Nobody waits for the process for ever. */
  async expectAnswered(process: SimulatedProcess): Promise<void> {
    for (const { asked, process: whom } of this.#sent) {
      const isPending = whom === process && asked.fate.kind === 'pending'
      await this.#checker.look(() => holds(!isPending, 'C30: everybody is answered in the end', asked))
    }
  }

  /** A few things at once. */
  ask(process: SimulatedProcess): void {
    for (let left = 1 + this.#random.below(3); left > 0; left--) this.#askOnce(process)
  }

  #askOnce(process: SimulatedProcess): void {
    if (this.#sent.length === 0) return this.#create(process)
    const wish = this.#random.weighted(this.#hasTools ? ofTools : ofText)
    switch (wish) {
      case 'create':
        return this.#create(process)
      case 'prompt':
        return this.#prompt(process, this.#newPrompt(this.#session()))
      case 'repeat':
        return this.#repeat(process)
      case 'cancel':
        return this.#cancel(process)
      case 'abort':
        return this.#abort(process)
      case 'answer':
        return this.#say(process, this.#people.answer())
      case 'reconcile':
        return this.#say(process, this.#people.reconciliation())
      case 'revoke':
        return this.#say(process, this.#people.revocation())
    }
  }

  /** Answers everything for which runs wait. How many questions there were. */
  answerEverything(process: SimulatedProcess): number {
    const answers = this.#people.everything()
    for (const answer of answers) this.#say(process, answer)
    return answers.length
  }

  /** Asks for a new session. */
  open(process: SimulatedProcess): void {
    this.#create(process)
  }

  /** Prompts each session that there is. */
  async askEverySession(process: SimulatedProcess): Promise<void> {
    for (const sessionId of this.#checker.states.keys()) this.#prompt(process, this.#newPrompt(sessionId))
  }

  #session(): SessionId {
    return this.#random.chance(45) ? sessionIds[0]! : this.#random.pick(sessionIds)
  }

  #create(process: SimulatedProcess): void {
    const sessionId = this.#session()
    const clientRequestId = this.#random.chance(40) ? `create ${sessionId}` : undefined
    const asked: Asked = { verb: 'create', sessionId, clientRequestId, fate: { kind: 'pending' } }
    const input = { scopeId, sessionId, ...(clientRequestId && { clientRequestId }) }
    const fate = fateOf(process.harness.createSession(input, caller))
    void this.#follow(process, asked, async () => {
      const told = await fate
      asked.fate = told.kind === 'done' ? { kind: 'done', value: told.value.generation } : told
    })
  }

  #newPrompt(sessionId: SessionId): EnqueuePrompt {
    const text = `prompt ${++this.#texts}`
    const whenBusy = this.#random.weighted({ ENQUEUE: 70, INTERRUPT: this.#hasTools ? 5 : 18, REJECT: 12 })
    const clientRequestId = this.#random.chance(50) ? { clientRequestId: `request ${text}` } : {}
    return { scopeId, sessionId, text, whenBusy, ...clientRequestId }
  }

  #prompt(process: SimulatedProcess, input: EnqueuePrompt): void {
    const asked: Asked = { verb: 'enqueue', sessionId: input.sessionId, input, fate: { kind: 'pending' } }
    const fate = fateOf(process.harness.enqueuePrompt(input, caller))
    void this.#follow(process, asked, async () => {
      asked.fate = await fate
    })
  }

  /** The same request once more, as a client sends it that was not answered; now and then with another text. */
  #repeat(process: SimulatedProcess): void {
    const inputs = this.#sent.flatMap(({ asked }) =>
      asked.verb === 'enqueue' && asked.input.clientRequestId ? [asked.input] : [],
    )
    if (inputs.length === 0) return
    const input = this.#random.pick(inputs.slice(-4))
    this.#prompt(process, this.#random.chance(90) ? input : { ...input, text: `prompt ${++this.#texts}` })
  }

  #cancel(process: SimulatedProcess): void {
    const prompts = this.#sent.flatMap(({ asked }) =>
      asked.verb === 'enqueue' && asked.fate.kind === 'done' ? [[asked.sessionId, asked.fate.value.queueId] as const] : [],
    )
    if (prompts.length === 0) return
    const [sessionId, queueId] = this.#random.pick(prompts.slice(-6))
    const asked: Asked = { verb: 'cancel', sessionId, queueId, fate: { kind: 'pending' } }
    const fate = fateOf(process.harness.cancelPrompt({ scopeId, sessionId, queueId }, caller))
    void this.#follow(process, asked, async () => {
      asked.fate = await fate
    })
  }

  #abort(process: SimulatedProcess): void {
    const sessionId = this.#session()
    const asked: Asked = { verb: 'abort', sessionId, fate: { kind: 'pending' } }
    const fate = fateOf(process.harness.abortRun({ scopeId, sessionId }, caller))
    void this.#follow(process, asked, async () => {
      asked.fate = await fate
    })
  }

  #say(process: SimulatedProcess, asked: PersonAsked | undefined): void {
    if (asked) void this.#follow(process, asked, this.#saying(process, asked))
  }

  #saying({ harness }: SimulatedProcess, asked: PersonAsked): () => Promise<void> {
    switch (asked.verb) {
      case 'respond': {
        const fate = fateOf(harness.respondToPermission(asked.input, { principal: asked.by }))
        return async () => void (asked.fate = await fate)
      }
      case 'reconcile': {
        const fate = fateOf(harness.reconcileToolExecution(asked.input, { principal: asked.by }))
        return async () => void (asked.fate = await fate)
      }
      case 'revoke': {
        const { sessionId, grant } = asked
        const fate = fateOf(harness.revokeGrant({ scopeId, sessionId, rememberKey: grant.rememberKey }, caller))
        return async () => void (asked.fate = await fate)
      }
    }
  }

  async #follow(process: SimulatedProcess, asked: Asked, answered: () => Promise<void>): Promise<void> {
    const before = this.#checker.states.get(asked.sessionId)
    const sent: Sent = { asked, process, hardFaults: process.hardFaults, before }
    this.#sent.push(sent)
    const name = `${process.name} ${this.#sent.length}`
    this.#note(`${name} is asked to ${shown(asked)}`)
    await answered()
    this.#note(`${name} answers ${JSON.stringify(asked.fate)}`)
    // Behind the commits that the checker has not looked at yet.
    await this.#line.run(() => this.#expectReason(sent)).catch(() => undefined)
  }

  async #expectReason({ asked, process, hardFaults, before }: Sent): Promise<void> {
    const after = this.#checker.states.get(asked.sessionId)
    const isServing = process.isWell && !process.wasHeld
    const mayFail = process.hardFaults > hardFaults || !isServing || isTooLate(asked)
    await this.#checker.look(() => expectAnswer(asked, { before, after, mayFail, isServing }))
    await this.expectHistory()
  }
}

/** Who waits for a store that is busy with what others have lost is answered by his deadline all the same. */
const isTooLate = ({ fate }: Asked): boolean => fate.kind === 'failed' && fate.error.includes('not free in time')

const shown = (asked: Asked): string => {
  const { fate: _, ...rest } = asked
  return JSON.stringify(rest)
}

import type { Permission } from '../../src/domain/permission/permission.ts'
import type { UncertainExecution } from '../../src/domain/tool/execution.ts'
import type { ScopeId, SessionId } from '../../src/kernel/ids.ts'
import { isLive } from '../../src/domain/run/run.ts'
import type { AnswerPermission, ReconcileToolExecution } from '../../src/runtime/harness.ts'
import type { PersonAsked } from './history.ts'
import type { Random } from './random.ts'
import type { SessionState } from './session-state.ts'

export interface PeopleDeps {
  readonly random: Random
  readonly scopeId: ScopeId
  /** What they can see. */
  readonly states: ReadonlyMap<SessionId, SessionState>
}

/** Decides what people say about what they are asked, and about what they have granted. */
export class People {
  readonly #deps: PeopleDeps
  readonly #random: Random
  #names = 0

  constructor(deps: PeopleDeps) {
    this.#deps = deps
    this.#random = deps.random
  }

  /** An answer to a request, mostly to one that waits; nothing when nobody was asked. */
  answer(): PersonAsked | undefined {
    const asked = this.#all(({ permissions }) => permissions)
    const waiting = asked.filter(([, { state }]) => state.kind === 'pending')
    const among = waiting.length > 0 && this.#random.chance(92) ? waiting : asked.slice(-5)
    return among.length === 0 ? undefined : this.#respond(...this.#random.pick(among))
  }

  /** What became of an execution, mostly of one that is uncertain. */
  reconciliation(): PersonAsked | undefined {
    const listed = this.#all(({ executions }) => executions)
    const uncertain = listed.filter(([, { state }]) => state.kind === 'uncertain')
    const among = uncertain.length > 0 && this.#random.chance(92) ? uncertain : listed.slice(-5)
    return among.length === 0 ? undefined : this.#reconcile(...this.#random.pick(among))
  }

  revocation(): PersonAsked | undefined {
    const grants = this.#all((state) => state.grants)
    if (grants.length === 0) return undefined
    const [sessionId, grant] = this.#random.pick(grants)
    return { verb: 'revoke', sessionId, grant, fate: { kind: 'pending' } }
  }

  /** Answers to everything for which a run waits. */
  everything(): readonly PersonAsked[] {
    const waiting = this.#all(({ permissions }) => permissions.filter(({ state }) => state.kind === 'pending'))
    const lost = this.#all(({ executions, runs }) => {
      const live = new Set(runs.filter(isLive).map(({ runId }) => runId))
      return executions.filter(({ runId, state }) => state.kind === 'uncertain' && live.has(runId))
    })
    return [...waiting.map((one) => this.#respond(...one)), ...lost.map((one) => this.#reconcile(...one))]
  }

  #all<T>(of: (state: SessionState) => readonly T[]): readonly (readonly [SessionId, T])[] {
    return [...this.#deps.states].flatMap(([sessionId, state]) => of(state).map((one) => [sessionId, one] as const))
  }

  #respond(sessionId: SessionId, { permissionId, rememberKey }: Permission): PersonAsked {
    const { scopeId } = this.#deps
    const how = this.#random.weighted({ ONCE: 50, ALWAYS: rememberKey === null ? 0 : 24, DENY: 16, REJECT: 12 })
    const denial = { decision: 'REJECT', message: 'Not now.' } as const
    const input: AnswerPermission = { scopeId, permissionId, ...(how === 'DENY' ? denial : { decision: how }) }
    return { verb: 'respond', sessionId, input, by: this.#name(), fate: { kind: 'pending' } }
  }

  #reconcile(sessionId: SessionId, { intentId }: UncertainExecution): PersonAsked {
    const found = this.#random.pick<ReconcileToolExecution['found']>([
      { outcome: 'SUCCEEDED', output: 'It is done.' },
      { outcome: 'FAILED', error: 'It was not done.' },
      { outcome: 'NOT_EXECUTED' },
    ])
    const input = { scopeId: this.#deps.scopeId, intentId, found }
    return { verb: 'reconcile', sessionId, input, by: this.#name(), fate: { kind: 'pending' } }
  }

  #name(): string {
    return `person ${++this.#names}`
  }
}

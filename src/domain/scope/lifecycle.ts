import { accepted, type Machine, refused, unchanged } from '../../kernel/decider.ts'
import type { RefusalOf } from '../../kernel/refusal.ts'

/** Why a scope takes no work until what is stored of it has been verified. */
export interface Fence {
  readonly since: number
  /** A sentence for clients. Of several reasons at a time the first. */
  readonly reason: string
}

/** Whether a scope takes work. Of a storage key, so all its aliases share it. */
export type Lifecycle =
  | { readonly kind: 'active' }
  | { readonly kind: 'fenced'; readonly fence: Fence }
  /** A scope that was fenced and is retired is retired once its fence has been lifted. */
  | { readonly kind: 'retiring'; readonly fence: Fence | null }
  | { readonly kind: 'retired' }

export type LifecycleCommand =
  /** Asks whether work may begin. */
  | { readonly type: 'admit' }
  | { readonly type: 'fence'; readonly fence: Fence }
  /** What is stored has been verified. */
  | { readonly type: 'restore' }
  | { readonly type: 'retire' }
  /** Nothing of the scope goes on any more. */
  | { readonly type: 'finish' }

export type LifecycleEvent =
  | { readonly type: 'fenced'; readonly fence: Fence }
  | { readonly type: 'restored' }
  | { readonly type: 'retirementBegan' }
  | { readonly type: 'retired' }

export type LifecycleRefusal = RefusalOf<'SCOPE_FENCED'> | RefusalOf<'SCOPE_RETIRED'>

const notFenced = () => unchanged('the scope is not fenced')
const notRetiring = () => unchanged('the scope is not being retired')
const over = () => unchanged('the scope is retired')
const fence = (_: Lifecycle, { fence: why }: { fence: Fence }) => accepted({ type: 'fenced', fence: why } as const)
const retire = () => accepted({ type: 'retirementBegan' } as const)
const noMore = () => refused(retiredRefusal)

/**
 * The life of a scope in a process.
 *
 *     active ──retire──▶ retiring ⟲ fence, restore ──finish──▶ retired
 *     │    ▲                ▲
 *     │    └─restore─┐      │
 *     └────fence──▶ fenced ─┘ retire
 */
export const lifecycleMachine: Machine<Lifecycle, LifecycleCommand, LifecycleEvent, LifecycleRefusal> = {
  table: {
    active: { admit: () => accepted(), fence, restore: notFenced, retire, finish: notRetiring },
    fenced: {
      admit: (state) => refused(fencedRefusal(state.fence)),
      fence: () => unchanged('the scope is fenced'),
      restore: () => accepted({ type: 'restored' }),
      retire,
      finish: notRetiring,
    },
    retiring: {
      admit: noMore,
      fence: (state, command) => (state.fence ? unchanged('the scope is fenced') : fence(state, command)),
      restore: (state) => (state.fence ? accepted({ type: 'restored' }) : notFenced()),
      retire: () => unchanged('the scope is being retired'),
      finish: (state) => (state.fence ? unchanged('the scope is fenced') : accepted({ type: 'retired' })),
    },
    retired: { admit: noMore, fence: over, restore: over, retire: over, finish: over },
  },
  evolve(state, event) {
    switch (event.type) {
      case 'fenced':
        if (state.kind === 'retiring') return state.fence ? state : { kind: 'retiring', fence: event.fence }
        return state.kind === 'active' ? { kind: 'fenced', fence: event.fence } : state
      case 'restored':
        if (state.kind === 'retiring') return state.fence ? { kind: 'retiring', fence: null } : state
        return state.kind === 'fenced' ? { kind: 'active' } : state
      case 'retirementBegan':
        if (state.kind === 'fenced') return { kind: 'retiring', fence: state.fence }
        return state.kind === 'active' ? { kind: 'retiring', fence: null } : state
      case 'retired':
        return state.kind === 'retiring' && !state.fence ? { kind: 'retired' } : state
    }
  },
}

/** The fence that stands; null when none does. */
export const fenceOf = (state: Lifecycle): Fence | null => ('fence' in state ? state.fence : null)

export const fencedRefusal = ({ reason }: Fence): RefusalOf<'SCOPE_FENCED'> => ({
  code: 'SCOPE_FENCED',
  message:
    `The scope takes no work until what is stored of it has been verified. ${reason} ` +
    'Nothing was changed, and prompts that wait are kept. Try again later.',
})

export const retiredRefusal: RefusalOf<'SCOPE_RETIRED'> = {
  code: 'SCOPE_RETIRED',
  message:
    'The scope is being retired: it takes no more work, and what waited or ran is cancelled. Nothing was changed. ' +
    'Its data stays, and when the retirement is over its next use begins afresh.',
}

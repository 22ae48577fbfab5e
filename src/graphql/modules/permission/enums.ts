import type {
  PermissionDecision as Decision,
  PermissionOutcome as Outcome,
  PermissionState as State,
} from '../../../domain/permission/permission.ts'
import { builder } from '../../builder.ts'

const decided = {
  ONCE: { description: 'A person let it pass this once.' },
  ALWAYS: {
    description: 'A person let it pass, and what has the same `rememberKey` in the session and below it from then on.',
  },
  REJECT: { description: 'A person rejected it.' },
} satisfies Record<Decision, { description: string }>

export const PermissionDecision = builder.enumType('PermissionDecision', {
  description: 'How a person decides.',
  values: {
    ONCE: { description: 'Let it pass this once.' },
    ALWAYS: {
      description:
        'Let it pass, and what has the same `rememberKey` in the session and below it from now on. Refused for a ' +
        'request without `rememberKey`.',
    },
    REJECT: {
      description: 'Stop the run, with all its requests. With a `message`: deny only this, and let the run go on.',
    },
  } satisfies Record<Decision, { description: string }>,
})

export const PermissionOutcome = builder.enumType('PermissionOutcome', {
  description: 'How a request ended.',
  values: {
    ...decided,
    GRANTED_BEFORE: { description: 'Nobody was asked: an earlier ALWAYS let it pass.' },
    CANCELLED: { description: 'Its run ended, or was stopped, before anybody decided.' },
  } satisfies Record<Outcome, { description: string }>,
})

export const PermissionState = builder.enumType('PermissionState', {
  description: 'Whether a request waits for a person.',
  values: {
    PENDING: { description: 'It waits.' },
    RESOLVED: { description: 'It does not wait any more: see `decision`.' },
  } satisfies Record<Uppercase<State['kind']>, { description: string }>,
})

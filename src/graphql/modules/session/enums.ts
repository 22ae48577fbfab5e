import type { ActivityKind as Kind, SessionStatus as Status } from '../../../domain/session/session.ts'
import { builder } from '../../builder.ts'

export const SessionStatus = builder.enumType('SessionStatus', {
  description: 'Whether a session works.',
  values: {
    IDLE: { description: 'No prompt waits and none runs.' },
    BUSY: { description: 'A prompt waits or runs.' },
    AWAITING_PERMISSION: { description: 'A prompt runs and waits for a person to decide.' },
  } satisfies Record<Status, { description: string }>,
})

export const ActivityKind = builder.enumType('ActivityKind', {
  description: 'What a session does now.',
  values: {
    IDLE: { description: 'Nothing.' },
    QUEUED: { description: 'Its next prompt waits for a free slot.' },
    THINKING: { description: 'Its run waits for the model, or the model reasons.' },
    RESPONDING: { description: 'Its run writes text.' },
    CALLING_TOOL: { description: 'Its run waits for tools.' },
    DELEGATING: { description: 'Its run waits for subagents, and for nothing else.' },
    AWAITING_PERMISSION: { description: 'Its run waits for a person to decide.' },
    AWAITING_RECONCILIATION: { description: 'Its run waits for a person to say what became of a call of a tool.' },
  } satisfies Record<Kind, { description: string }>,
})

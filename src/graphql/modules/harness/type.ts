import {
  type Limits,
  MAX_SUBAGENT_DESCRIPTION_BYTES,
  MAX_SUBAGENT_NAME_BYTES,
  MAX_SUBAGENTS,
} from '../../../domain/limits.ts'
import type { ModelIdentity } from '../../../domain/run/run.ts'
import type { HarnessInfo } from '../../../runtime/harness.ts'
import { builder } from '../../builder.ts'

export const Model = builder.objectRef<ModelIdentity>('Model').implement({
  description: 'A language model.',
  fields: (t) => ({
    id: t.string({
      description: '`provider:name`, as `PromptOptionsInput.modelHint` takes it.',
      resolve: ({ provider, id }) => `${provider}:${id}`,
    }),
    provider: t.exposeString('provider', { description: 'Who serves it.' }),
    name: t.exposeString('id', { description: 'What its provider calls it.' }),
  }),
})

const HarnessLimits = builder.objectRef<Limits>('HarnessLimits').implement({
  description: 'The limits of this harness. What is beyond one is refused, or ends a run as FAILED.',
  fields: (t) => ({
    maxOutstandingPromptsPerSession: t.expose('maxOutstandingPromptsPerSession', {
      type: 'NonNegativeInt',
      description: 'Prompts of a session that have not finished. Beyond it: QueueFullError.',
    }),
    maxOutstandingPromptBytesPerSession: t.expose('maxOutstandingPromptBytesPerSession', {
      type: 'SafeInt',
      description: 'UTF-8 bytes of all prompts of a session that have not finished. Beyond it: QueueFullError.',
    }),
    maxPromptBytes: t.expose('maxPromptBytes', {
      type: 'SafeInt',
      description: 'UTF-8 bytes of one prompt, its attachments included. Beyond it: QueueFullError.',
    }),
    maxAdmissionsInFlight: t.expose('maxAdmissionsInFlight', {
      type: 'NonNegativeInt',
      description: 'Prompts that are being enqueued at the same time. Beyond it: QueueFullError.',
    }),
    maxConcurrentRuns: t.expose('maxConcurrentRuns', {
      type: 'NonNegativeInt',
      description: 'Runs at the same time. Further ones wait in their queues.',
    }),
    maxSteps: t.expose('maxSteps', {
      type: 'NonNegativeInt',
      description: 'Model calls of one run. A run that wants more fails with BUDGET_EXCEEDED.',
    }),
    maxParts: t.expose('maxParts', {
      type: 'NonNegativeInt',
      description: 'Parts of one run. A run with more fails with CALLBACK_OVERFLOW.',
    }),
    maxTextBytes: t.expose('maxTextBytes', {
      type: 'SafeInt',
      description: 'UTF-8 bytes of text of one run. A run with more fails with CALLBACK_OVERFLOW.',
    }),
    maxReasoningBytes: t.expose('maxReasoningBytes', {
      type: 'SafeInt',
      description: 'UTF-8 bytes of reasoning of one run. A run with more fails with CALLBACK_OVERFLOW.',
    }),
    maxToolBytes: t.expose('maxToolBytes', {
      type: 'SafeInt',
      description:
        'UTF-8 bytes of inputs and outputs of tools of one run, as JSON. A run with more fails with ' +
        'CALLBACK_OVERFLOW.',
    }),
    maxToolOutputBytes: t.expose('maxToolOutputBytes', {
      type: 'SafeInt',
      description: 'UTF-8 bytes of one output of a tool, as JSON. What is more is cut, with a marker.',
    }),
    toolTimeoutMs: t.expose('toolTimeoutMs', {
      type: 'SafeInt',
      description: 'Milliseconds that a call of a tool may take unless the tool says otherwise. Then it is stopped.',
    }),
    abortDeadlineMs: t.expose('abortDeadlineMs', {
      type: 'SafeInt',
      description:
        'Milliseconds that a call which is stopped has to end. Then it is abandoned: UNCERTAIN, if it may have ' +
        'changed something.',
    }),
    maxSubagentDepth: t.expose('maxSubagentDepth', {
      type: 'NonNegativeInt',
      description: 'Levels of sessions below a root that delegation may create, 1 to 8.',
    }),
    maxSubagentCallsPerRun: t.expose('maxSubagentCallsPerRun', {
      type: 'NonNegativeInt',
      description: 'Delegations of one run, 1 to 128. A further one is refused, and the model reads why.',
    }),
  }),
})

const Subagent = builder.objectRef<HarnessInfo['subagents'][number]>('Subagent').implement({
  description: 'An agent to which runs may delegate, by the tool `delegate`.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: `Its name, unique, as \`Session.agent\` has it: at most ${MAX_SUBAGENT_NAME_BYTES} UTF-8 bytes.`,
    }),
    description: t.exposeString('description', {
      description: `What it is good for, as models are told: at most ${MAX_SUBAGENT_DESCRIPTION_BYTES} UTF-8 bytes.`,
    }),
  }),
})

export const Harness = builder.objectRef<HarnessInfo>('Harness').implement({
  description: 'What this harness is and can do.',
  fields: (t) => ({
    version: t.exposeString('version', { description: 'The version of the product.' }),
    models: t.expose('models', {
      type: [Model],
      description: 'The models that prompts may ask for, the default first.',
    }),
    subagents: t.expose('subagents', {
      type: [Subagent],
      description: `The agents to which runs may delegate, at most ${MAX_SUBAGENTS}; none when it was configured without.`,
    }),
    limits: t.expose('limits', { type: HarnessLimits, description: 'The limits that it was configured with.' }),
  }),
})

import { budgetRules, type Budget as BudgetRow } from '../../../domain/run/budget.ts'
import { MAX_BUDGET_IDLE_MS, MAX_BUDGET_TOKENS, MAX_BUDGET_WALL_CLOCK_MS } from '../../../domain/limits.ts'
import { builder } from '../../builder.ts'
import { QueueEntry, Run } from '../../refs.ts'
import { integer } from '../../validated.ts'

const Budget = builder.objectRef<BudgetRow>('Budget').implement({
  description: 'What a run may use. One that has used it up ends with BUDGET_EXCEEDED and keeps its output.',
  fields: (t) => ({
    totalTokens: t.expose('totalTokens', {
      type: 'SafeInt',
      nullable: true,
      description: 'Tokens, with those of the runs that it delegates to; null is no limit.',
    }),
    wallClockMs: t.expose('wallClockMs', {
      type: 'SafeInt',
      nullable: true,
      description: 'Milliseconds at work, its own or of runs that it delegates to; null is no limit.',
    }),
    idleMs: t.expose('idleMs', {
      type: 'SafeInt',
      nullable: true,
      description: 'Milliseconds at work without any output of its own; null is no limit.',
    }),
  }),
})

export const BudgetInput = builder.inputType('BudgetInput', {
  description:
    'What a run may use. Tokens and time at work are asked for between its steps, so that it goes beyond them by one step ' +
    'at most. What is absent is no limit.',
  fields: (t) => ({
    totalTokens: t.field({
      type: 'SafeInt',
      validate: integer(budgetRules.totalTokens),
      description:
        'Tokens as the providers count them, with those of the runs that it delegates to: from 1 to ' +
        `${MAX_BUDGET_TOKENS}.`,
    }),
    wallClockMs: t.field({
      type: 'SafeInt',
      validate: integer(budgetRules.wallClockMs),
      description:
        'Milliseconds in which it, or a run that it delegates to, is at work: from 1 to ' +
        `${MAX_BUDGET_WALL_CLOCK_MS}. Waiting for people or for a turn is no work, and neither is the time in which no ` +
        'process executes it.',
    }),
    idleMs: t.field({
      type: 'SafeInt',
      validate: integer(budgetRules.idleMs),
      description:
        `Milliseconds at work without text, reasoning, tool calls or results of tools: from 1 to ${MAX_BUDGET_IDLE_MS}. ` +
        'When they are over, the model call or the tools under way are stopped.',
    }),
  }),
})

builder.objectFields(Run, (t) => ({
  budget: t.field({
    type: Budget,
    nullable: true,
    description: 'What its prompt allows it to use; null when that limits nothing.',
    resolve: ({ row }) => row.budget,
  }),
  workedMs: t.field({
    type: 'SafeInt',
    description:
      'Milliseconds that it, or a run that it delegated to, was at work, without waiting for people or for a turn. ' +
      'Counted at least after each model call.',
    resolve: ({ row }) => row.workedMs,
  }),
}))

builder.objectField(QueueEntry, 'budget', (t) =>
  t.field({
    type: Budget,
    nullable: true,
    description: 'What its run may use; null when the prompt limits nothing.',
    resolve: ({ entry }) => entry.budget,
  }),
)

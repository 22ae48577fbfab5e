import type { Usage } from '../../domain/run/usage.ts'

/** The columns of token counts, as sessions and runs have them. */
export const usageColumns = {
  inputTokens: 'bigint',
  outputTokens: 'bigint',
  totalTokens: 'bigint',
  reasoningTokens: 'bigint',
  cachedInputTokens: 'bigint',
} as const

type UsageModel = { readonly [Name in keyof Usage]: bigint }

export const usageOf = (model: UsageModel): Usage => ({
  inputTokens: Number(model.inputTokens),
  outputTokens: Number(model.outputTokens),
  totalTokens: Number(model.totalTokens),
  reasoningTokens: Number(model.reasoningTokens),
  cachedInputTokens: Number(model.cachedInputTokens),
})

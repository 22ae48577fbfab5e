/** Tokens as the model provider counted them. */
export interface Usage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  readonly reasoningTokens: number
  readonly cachedInputTokens: number
}

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  reasoningTokens: 0,
  cachedInputTokens: 0,
}

export const addUsage = (a: Usage, b: Usage): Usage => ({
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  totalTokens: a.totalTokens + b.totalTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  cachedInputTokens: a.cachedInputTokens + b.cachedInputTokens,
})
